//! Draws the shapes scenes are made of, and every character of the font, to `target/shapes.png` (or the path given).

use thenar::math::{Pose, Quat, Vec3};
use thenar_draw::{Camera, Material, SKIN, Scene3, Sheet, Surface, heat, png, srgb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/shapes.png".into());
    let mut scene = Scene3::new();
    let still = |x: f64, y: f64, z: f64| Pose::new(Vec3::new(x, y, z), Quat::IDENTITY);
    scene.add(Surface::sphere(0.03, SKIN).with_material(Material::Skin).at(still(-0.06, 0.03, 0.0)));
    scene.add(Surface::sphere(0.02, srgb(0x003b_78c4)).with_material(Material::Gloss).at(still(-0.01, 0.02, 0.035)));
    let turned = Pose::new(Vec3::new(0.05, 0.025, 0.0), Quat::from_rotation_y(0.5));
    scene.add(Surface::cuboid(Vec3::splat(0.025), srgb(0x00d9_a441)).at(turned));
    scene.add(Surface::capsule(
        Vec3::new(-0.02, 0.012, -0.06),
        Vec3::new(0.06, 0.012, -0.06),
        0.012,
        srgb(0x006b_a368),
    ));
    scene.add(Surface::cylinder(Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.1, 0.08, 0.0), 0.015, srgb(0x00c9_5b4d)));
    scene.arrow(Vec3::new(-0.06, 0.1, 0.0), Vec3::new(-0.06, 0.062, 0.0), 0.002, heat(0.9));
    scene.axes(still(-0.12, 0.0, 0.05), 0.03);
    scene.label(Vec3::new(-0.12, -0.01, 0.05), "axes", srgb(0x0033_373d));
    for i in 0..20 {
        scene.point(Vec3::new(-0.1 + 0.01 * f64::from(i), 0.0, 0.08), 3.0, heat(f64::from(i) / 19.0));
    }
    scene.ground = Some(0.0);
    let camera = Camera::look_at(Vec3::new(0.05, 0.2, 0.5), Vec3::new(0.0, 0.02, 0.0));
    let mut sheet = Sheet::new(2, 640, 480);
    sheet.title("ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,:;-_+/%()[]=<>'\"°²³µ×#*!?~");
    sheet.push(scene.render(&camera, 640, 480), "on an invisible ground");
    scene.ground = None;
    scene.add(Surface::table(0.2, 0.15, 0.02, srgb(0x00b5_9a7a)));
    sheet.push(scene.render(&camera, 640, 480), "on a table");
    std::fs::write(&path, png(&sheet.canvas())?)?;
    Ok(())
}
