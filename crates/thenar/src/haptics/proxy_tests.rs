//! What the proxy promises.

use super::*;
use crate::math::{Mat3, Pose, Quat, Vec3, rotation_exp};

const DT: f64 = 1e-3;

fn body() -> HandleBody {
    HandleBody { mass: 0.1, inertia: Mat3::from_diagonal(Vec3::new(4e-5, 3e-5, 2e-5)) }
}

fn still(x: f64) -> HandleState {
    let pose = Pose { position: Vec3::new(x, 0.0, 0.0), ..Pose::IDENTITY };
    HandleState { pose, ..HandleState::default() }
}

/// A spring of `stiffness` N/m along x that pulls to the origin, for each of `handles`.
fn spring(handles: usize, stiffness: f64, damping: f64) -> ProxyModel {
    let n = 6 * handles;
    let mut prepared = ProxyModel::of(handles);
    for handle in 0..handles {
        let row = 6 * handle;
        prepared.model.stiffness[row * n + row] = -stiffness;
        prepared.model.damping[row * n + row] = -damping;
    }
    prepared.number = 1;
    assert!(prepared.prepare(&vec![body(); handles], &vec![DeviceCoupling::default(); handles], DT, 0.02));
    prepared
}

fn settle(proxy: &mut Proxy, model: &ProxyModel, device: HandleState, ticks: usize) -> f64 {
    (0..ticks).map(|_| proxy.tick(model, &[device])[0]).last().unwrap_or(0.0)
}

/// The device holds two springs in a row: coupling and model.
#[test]
fn at_rest_the_force_is_that_of_two_springs_in_a_row() {
    let model = spring(1, 1000.0, 10.0);
    let mut proxy = Proxy::new(&[still(0.0)], LateParams { patience: 1e9, fade: 1.0 });
    proxy.take(&model, 0.0);
    let force = settle(&mut proxy, &model, still(0.003), 2000);
    let expected = -0.003 / (1.0 / 1000.0 + 1.0 / DeviceCoupling::default().stiffness);
    assert!((force - expected).abs() < 1e-6, "{force} N, expected {expected} N");
}

/// Backward Euler of what the documentation says, written out for one degree of freedom.
#[test]
fn a_tick_solves_the_equation_of_the_documentation() {
    let (k, b) = (700.0, 3.0);
    let model = spring(1, k, b);
    let coupling = DeviceCoupling::default();
    let start = HandleState { velocity: Vec3::new(0.2, 0.0, 0.0), ..still(0.001) };
    let device = HandleState { velocity: Vec3::new(0.1, 0.0, 0.0), ..still(0.004) };
    let mut proxy = Proxy::new(&[start], LateParams::default());
    let force = proxy.tick(&model, &[device])[0];
    let matrix = 0.1 + DT * (coupling.damping + b) + DT * DT * (coupling.stiffness + k);
    let right = 0.1 * 0.2 + DT * (-k * 0.001 + coupling.stiffness * 0.003 + coupling.damping * 0.1);
    let velocity = right / matrix;
    assert!((proxy.states()[0].velocity.x - velocity).abs() < 1e-12);
    let x = 0.001 + DT * velocity;
    let expected = coupling.stiffness * (x - 0.004) + coupling.damping * (velocity - 0.1);
    assert!((force - expected).abs() < 1e-10, "{force} {expected}");
}

#[test]
fn a_new_model_makes_no_step_of_the_force_and_is_met_after_a_period() {
    let (soft, stiff) = (spring(1, 300.0, 5.0), spring(1, 3000.0, 5.0));
    let mut proxy = Proxy::new(&[still(0.0)], LateParams { patience: 1e9, fade: 1.0 });
    proxy.take(&soft, 0.0);
    let before = settle(&mut proxy, &soft, still(0.005), 1000);
    proxy.leave(&soft);
    proxy.take(&stiff, 0.0);
    let mut last = before;
    let mut steepest = 0.0f64;
    for _ in 0..20 {
        let force = settle(&mut proxy, &stiff, still(0.005), 1);
        steepest = steepest.max((force - last).abs());
        last = force;
    }
    let after = settle(&mut proxy, &stiff, still(0.005), 1000);
    let expected = -0.005 / (1.0 / 3000.0 + 1.0 / DeviceCoupling::default().stiffness);
    assert!((after - expected).abs() < 1e-6);
    // a twentieth of the change per tick, and the spring gives way meanwhile
    assert!(steepest < 0.1 * (after - before).abs(), "{steepest} N in a tick, of {} N", after - before);
}

#[test]
fn the_first_model_comes_without_a_step_too() {
    let model = spring(1, 3000.0, 5.0);
    let mut proxy = Proxy::new(&[still(0.005)], LateParams::default());
    proxy.take(&model, 0.0);
    let first = settle(&mut proxy, &model, still(0.005), 1);
    assert!(first.abs() < 1.0, "{first} N, of 15 N");
}

#[test]
fn a_late_model_loses_its_force_and_keeps_its_damping() {
    let model = spring(1, 1000.0, 10.0);
    let mut proxy = Proxy::new(&[still(0.0)], LateParams::default());
    proxy.take(&model, 0.0);
    let pressed = settle(&mut proxy, &model, still(0.003), 45);
    let gone = settle(&mut proxy, &model, still(0.003), 2000);
    assert!(pressed < -1.5 && gone.abs() < 1e-3, "{pressed} N, then {gone} N");
    let mut device = still(0.003);
    device.velocity.x = 0.1;
    let mut drag = 0.0;
    for _ in 0..500 {
        device.pose.position.x += DT * device.velocity.x;
        drag = settle(&mut proxy, &model, device, 1);
    }
    // B + h K: what the matrix of the step resists with
    assert!((drag + 0.1 * 11.0).abs() < 0.01, "{drag} N");
}

#[test]
fn turns_are_felt_about_every_axis_of_a_turned_handle() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let mut prepared = ProxyModel::of(1);
        let turned = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
        prepared.model.at[0].pose.rotation = turned;
        for row in 3..6 {
            prepared.model.stiffness[row * 6 + row] = -1.0;
            prepared.model.damping[row * 6 + row] = -0.02;
        }
        prepared.number = 1;
        assert!(prepared.prepare(&[body()], &[DeviceCoupling::default()], DT, 1e9));
        let mut state = still(0.0);
        state.pose.rotation = turned;
        let mut proxy = Proxy::new(&[state], LateParams::default());
        let mut device = state;
        device.pose.rotation = rotation_exp(0.3 * axis) * turned;
        let torque: Vec<f64> =
            (0..3000).map(|_| Vec3::from_slice(&proxy.tick(&prepared, &[device])[3..6]).dot(axis)).collect();
        let expected = -0.3 / (1.0 + 1.0 / DeviceCoupling::default().turn_stiffness);
        assert!((torque[2999] - expected).abs() < 1e-6, "{axis}: {} {expected}", torque[2999]);
    }
}

/// Pulling one handle pulls the other, which only a cross term can do.
#[test]
fn handles_feel_each_other_through_cross_terms() {
    let mut model = spring(2, 500.0, 5.0);
    for (row, column) in [(0, 6), (6, 0)] {
        model.model.stiffness[row * 12 + column] = 400.0;
    }
    assert!(model.prepare(&[body(); 2], &[DeviceCoupling::default(); 2], DT, 1e9));
    let mut proxy = Proxy::new(&[still(0.0); 2], LateParams::default());
    let mut felt = 0.0;
    for _ in 0..2000 {
        felt = proxy.tick(&model, &[still(0.005), still(0.0)])[6];
    }
    assert!(felt > 0.5, "{felt} N on the handle that nobody moved");
}

#[test]
fn models_that_are_not_finite_or_of_another_size_are_refused() {
    let mut model = spring(1, 500.0, 5.0);
    model.model.force[2] = f64::NAN;
    assert!(!model.prepare(&[body()], &[DeviceCoupling::default()], DT, 0.02));
    let mut model = spring(1, 500.0, 5.0);
    model.model.stiffness[3] = f64::INFINITY;
    assert!(!model.prepare(&[body()], &[DeviceCoupling::default()], DT, 0.02));
    let mut model = spring(2, 500.0, 5.0);
    assert!(!model.prepare(&[body()], &[DeviceCoupling::default()], DT, 0.02));
    model.model.force.pop();
    assert!(!model.prepare(&[body(); 2], &[DeviceCoupling::default(); 2], DT, 0.02));
}

#[test]
fn without_a_model_nothing_is_felt() {
    let mut proxy = Proxy::new(&[still(0.0)], LateParams::default());
    assert_eq!(proxy.tick(&ProxyModel::of(1), &[still(1.0)]), [0.0; 6]);
}

#[test]
fn limits_keep_the_direction() {
    let mut wrench = [30.0, 40.0, 0.0, 0.0, 0.0, 2.0];
    limit_wrench(&mut wrench, 5.0, 0.5);
    assert_eq!(wrench, [3.0, 4.0, 0.0, 0.0, 0.0, 0.5]);
    let mut wrench = [f64::NAN, 1.0, 1.0, 0.0, 0.0, 0.1];
    limit_wrench(&mut wrench, 5.0, 0.5);
    assert_eq!(wrench, [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]);
}
