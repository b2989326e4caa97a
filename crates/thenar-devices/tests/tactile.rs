//! Commands reach devices, and a device that disappears is reported and found again, while nobody waits.

use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thenar_devices::tactile::{TactileCommand, TactileDriver, TactileLink, TactileTarget};

/// Sends until something holds, at most ten seconds.
fn until(link: &TactileLink, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    let mut command = TactileCommand::default();
    while Instant::now() < end {
        command.time += 4e-3;
        link.send(command);
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

/// A device that can be unplugged, and that is slow.
struct Plug {
    plugged: Arc<AtomicBool>,
    got: Arc<AtomicU64>,
}

impl TactileDriver for Plug {
    fn name(&self) -> String {
        "plug".to_owned()
    }
    fn connect(&mut self) -> io::Result<()> {
        if self.plugged.load(Ordering::SeqCst) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
    fn send(&mut self, _: &TactileCommand) -> io::Result<()> {
        std::thread::sleep(Duration::from_millis(20));
        if !self.plugged.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.got.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_device_that_disappears_is_reported_and_found_again() {
    let (plugged, got) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let driver = Plug { plugged: Arc::clone(&plugged), got: Arc::clone(&got) };
    let link = TactileLink::start(Box::new(driver), 500.0).unwrap();
    assert!(until(&link, || link.status().trouble.is_some()), "a device that is not there is told");
    plugged.store(true, Ordering::SeqCst);
    assert!(until(&link, || got.load(Ordering::SeqCst) > 2), "it is found");
    // a slow device drops commands and delays nobody
    assert!(link.status().dropped > 0);
    plugged.store(false, Ordering::SeqCst);
    assert!(until(&link, || link.status().lost == 1), "it is missed");
    plugged.store(true, Ordering::SeqCst);
    let before = got.load(Ordering::SeqCst);
    assert!(until(&link, || got.load(Ordering::SeqCst) > before && link.status().found == 2));
    let news = link.news().join("\n");
    assert!(news.contains("connected") && news.contains("lost") && news.contains("looking for it again"), "{news}");
}

#[test]
fn osc_bundles_arrive() {
    let ear = UdpSocket::bind("127.0.0.1:0").unwrap();
    ear.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let target: TactileTarget = format!("osc:{}", ear.local_addr().unwrap()).parse().unwrap();
    let link = TactileLink::start(target.driver().unwrap(), 500.0).unwrap();
    assert!(until(&link, || link.status().sent > 0));
    let mut bytes = [0; 4096];
    let mut length = ear.recv(&mut bytes).unwrap();
    // the first bundle is empty: it only asks whether somebody listens
    while length <= 16 {
        length = ear.recv(&mut bytes).unwrap();
    }
    assert!(bytes.starts_with(b"#bundle\0"), "{length}");
    assert!(bytes[..length].windows(24).any(|w| w == b"/thenar/right/index/disc"));
}

#[cfg(unix)]
#[test]
fn a_serial_line_carries_commands_and_may_be_unplugged() {
    use serialport::{SerialPort, TTYPort};
    use std::io::Read;
    let (mut device, line) = TTYPort::pair().unwrap();
    device.set_timeout(Duration::from_millis(500)).unwrap();
    let path = line.name().unwrap();
    drop(line);
    let target: TactileTarget = format!("serial:{path}").parse().unwrap();
    let link = TactileLink::start(target.driver().unwrap(), 200.0).unwrap();
    let mut text = String::new();
    let heard = until(&link, || {
        let mut bytes = [0; 512];
        if let Ok(length) = device.read(&mut bytes) {
            text.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
        text.contains("T,R,4,")
    });
    assert!(heard, "heard {text:?}, {:?}", link.status());
    let whole = text.lines().find(|line| line.contains('*')).unwrap();
    let (body, sum) = whole.split_once('*').unwrap();
    assert_eq!(u8::from_str_radix(sum.trim(), 16).unwrap(), body.bytes().fold(0, |a, b| a ^ b), "{whole}");
    drop(device);
    assert!(until(&link, || link.status().lost > 0), "{:?}", link.status());
}
