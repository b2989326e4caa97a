//! The model of the force on handles that the haptic loop uses, by the simulation itself.

#![allow(clippy::disallowed_macros)] // prints its tables

mod tools;

use thenar::contact::ContactMethod;
use thenar::haptics::{HandleId, HandleModel, HandleState};
use thenar::math::{Vec3, rotation_log};
use thenar::world::World;
use tools::{Doing, Ground, Matrix, apart, check_doing, moved, prepared, two_handed};

/// The default model says what pressing further will cost once the tool has come to rest, and that a tool in the air costs nothing but its weight.
#[test]
fn a_wall_is_as_stiff_in_the_model_as_it_turns_out_to_be() {
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for dt in [0.004, 0.02] {
            let mut model = HandleModel::of(1);
            let (mut world, handle) = prepared(method, Ground::Rigid, Doing::Pressing, dt);
            let settle = |world: &mut World| {
                (0..(0.6 / dt) as usize).for_each(|_| {
                    world.step(dt).unwrap();
                });
            };
            settle(&mut world);
            world.handle_model(&mut model).unwrap();
            let before = model.clone();
            let mut target = world.handle_state(handle).unwrap();
            target.pose.position.y -= 1.2e-3;
            (target.velocity, target.spin) = (Vec3::ZERO, Vec3::ZERO);
            world.set_handle_target(handle, target).unwrap();
            settle(&mut world);
            let mut said = [0.0; 6];
            before.predict(&[world.handle_state(handle).unwrap()], &mut said);
            world.handle_model(&mut model).unwrap();
            let (grown, expected) = (model.force[1] - before.force[1], said[1] - before.force[1]);
            let (mut air, _) = prepared(method, Ground::None, Doing::Pressing, dt);
            settle(&mut air);
            let mut free = HandleModel::of(1);
            air.handle_model(&mut free).unwrap();
            println!(
                "{method:?}, {dt} s: {grown:.3} N more, {expected:.3} N expected; {:.1} N/m on the wall, {:.2} N/m in the air",
                -before.stiffness[7], -free.stiffness[7]
            );
            assert!((grown - expected).abs() < 0.1 * grown, "{grown} N, expected {expected} N");
            // what is left in the air is inertia and damping, to third order: at 250 Hz a twentieth of this wall, at 50 Hz nothing
            let most = if dt < 0.01 { 0.05 } else { 0.001 };
            assert!(free.stiffness[7].abs() < most * before.stiffness[7].abs(), "{:?}", &free.stiffness[..12]);
        }
    }
}

/// How the forces depend on where the handles are led to once everything has followed: each target is moved on by a little for good, and what that has made of
/// places and forces after a while is told apart; contacts are held throughout. Stiffness as `HandleModel` has it, row by row.
fn settled(world: &mut World, handles: &[HandleId], dt: f64, seconds: f64, small: [f64; 2]) -> Matrix {
    let m = 6 * handles.len();
    let from = world.snapshot();
    let targets: Vec<_> = handles.iter().map(|&handle| world.handle_wish(handle).unwrap().unwrap()).collect();
    world.step(dt).unwrap();
    world.hold_contacts(true);
    let steps = (seconds / dt).round() as usize;
    let mut model = HandleModel::of(handles.len());
    let mut run = |unknown: Option<usize>| -> (Vec<HandleState>, Vec<f64>) {
        world.restore(&from).unwrap();
        for step in 0..steps {
            for (k, (&handle, target)) in handles.iter().zip(&targets).enumerate() {
                // targets that move go on as they do
                let mut target = *target;
                target.go_on(step as f64 * dt);
                if let Some(unknown) = unknown.filter(|unknown| unknown / 6 == k) {
                    target = moved(&target, unknown % 6, small[usize::from(unknown % 6 >= 3)], 0.0);
                }
                world.set_handle_target(handle, target).unwrap();
            }
            world.step(dt).unwrap();
            assert_eq!(world.report().parts, 1, "the model is that of whole steps");
        }
        world.handle_model(&mut model).unwrap();
        (model.at.clone(), model.force.clone())
    };
    let (at, force) = run(None);
    let (mut ways, mut forces) = (vec![0.0; m * m], vec![0.0; m * m]);
    for unknown in 0..m {
        let (there, pushed) = run(Some(unknown));
        for (k, (a, b)) in there.iter().zip(&at).enumerate() {
            let way = a.pose.position - b.pose.position;
            let turn = rotation_log(a.pose.rotation * b.pose.rotation.inverse());
            for axis in 0..3 {
                ways[m * (6 * k + axis) + unknown] = way[axis];
                ways[m * (6 * k + 3 + axis) + unknown] = turn[axis];
            }
        }
        (0..m).for_each(|row| forces[m * row + unknown] = pushed[row] - force[row]);
    }
    world.hold_contacts(false);
    world.restore(&from).unwrap();
    divided(forces, ways, m)
}

/// Seconds after which tool and ground have followed: they ring at 40 Hz and are damped. What slides is given less, since contacts that it comes to on its way are none
/// that are held.
fn settling(doing: Doing) -> f64 {
    if doing == Doing::Sliding { 0.08 } else { 0.3 }
}

/// `F X⁻¹` by elimination on the transposes.
fn divided(forces: Vec<f64>, ways: Vec<f64>, m: usize) -> Matrix {
    let transposed = |a: &[f64]| -> Vec<f64> { (0..m * m).map(|k| a[m * (k % m) + k / m]).collect() };
    let (mut a, mut b) = (transposed(&ways), transposed(&forces));
    for k in 0..m {
        let pivot = (k..m).fold(k, |best, row| if a[m * row + k].abs() > a[m * best + k].abs() { row } else { best });
        for column in 0..m {
            a.swap(m * k + column, m * pivot + column);
            b.swap(m * k + column, m * pivot + column);
        }
        for row in (0..m).filter(|row| *row != k) {
            let factor = a[m * row + k] / a[m * k + k];
            for column in 0..m {
                a[m * row + column] -= factor * a[m * k + column];
                b[m * row + column] -= factor * b[m * k + column];
            }
        }
    }
    let solved: Vec<f64> = (0..m * m).map(|k| b[k] / a[m * (k / m) + k / m]).collect();
    transposed(&solved)
}

/// The same of forces by places alone, all handles with all.
fn places_apart(a: &[f64], b: &[f64]) -> f64 {
    let m = a.len().isqrt();
    let places =
        |of: &[f64]| -> Matrix { (0..m * m).filter(|k| k / m % 6 < 3 && k % m % 6 < 3).map(|k| of[k]).collect() };
    apart(&places(a), &places(b))
}

/// The model that the haptic loop uses, in all directions and turns: what forces have become once tool and ground have followed.
#[test]
fn the_model_of_the_loop_is_what_leading_the_handles_on_costs() {
    let mut failed = Vec::new();
    for method in [ContactMethod::Penalty, ContactMethod::Point, ContactMethod::Aggregate] {
        for (on, doing) in [
            (Ground::Rigid, Doing::Pressing),
            (Ground::Rigid, Doing::Sliding),
            (Ground::Soft, Doing::Pressing),
            (Ground::Soft, Doing::Sliding),
        ] {
            for (dt, two) in [(0.004, false), (0.02, false), (0.02, true)] {
                let (mut world, handles) = if two {
                    two_handed(method, on, doing, dt)
                } else {
                    let (world, handle) = prepared(method, on, doing, dt);
                    (world, vec![handle])
                };
                let expected = settled(&mut world, &handles, dt, settling(doing), [2e-6, 1e-4]);
                world.step(dt).unwrap();
                check_doing(&world, on, doing, &format!("{method:?} on {on:?}, {doing:?}, {dt} s, two {two}"));
                let mut model = HandleModel::of(handles.len());
                world.handle_model(&mut model).unwrap();
                let [off, of_places] = [apart(&model.stiffness, &expected), places_apart(&model.stiffness, &expected)];
                let m = 6 * handles.len();
                let corner = |matrix: &[f64], r: usize, c: usize| matrix[m * r + c];
                println!(
                    "{method:?} {on:?} {doing:?} {dt} s, {} handles: {:.2} %, places alone {:.2} %; {:.1} for {:.1} N/m, turn {:.4} for {:.4} N·m/rad",
                    handles.len(),
                    100.0 * off,
                    100.0 * of_places,
                    corner(&model.stiffness, 1, 1),
                    corner(&expected, 1, 1),
                    corner(&model.stiffness, 3, 3),
                    corner(&expected, 3, 3),
                );
                let most = match (on, doing, dt < 0.01) {
                    (Ground::Rigid, Doing::Pressing, _) | (Ground::Soft, Doing::Pressing, false) if !two => 0.05,
                    // a bar that is bent turns its forces, which no derivative of the step has; of patches it has a few
                    (_, Doing::Pressing, false) => 0.1,
                    // what slides shears, with so little stiffness that damping weighs as much: the parabola does not reach
                    (Ground::Rigid, Doing::Sliding, _) if !two => 0.15,
                    // steps of 4 ms, in which a cushion is as heavy as it is stiff; and forces that turn with a surface that yields
                    _ => 0.35,
                };
                if of_places.is_nan() || of_places > most {
                    failed.push((method, on, doing, dt, two, of_places));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
