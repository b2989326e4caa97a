//! Who may come in. On this machine: pages of this server. From the network: who has the token or the pairing code.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST, ORIGIN};
use ring::rand::{SecureRandom, SystemRandom};

/// Wrong pairing codes until the code is withdrawn; the token still works.
const MOST_WRONG_CODES: u32 = 20;
/// Name of the cookie that holds the token.
const COOKIE_NAME: &str = "thenar-studio";

/// What opens the door to the network.
pub struct Pairing {
    /// 128 random bits as hexadecimal digits.
    pub token: String,
    /// Six digits that can be typed on a headset.
    pub code: String,
    wrong_codes: AtomicU32,
}

impl Pairing {
    /// Random ones.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> Result<Pairing, std::io::Error> {
        let mut bytes = [0_u8; 20];
        let failed = |_| std::io::Error::other("the system gives no random numbers");
        SystemRandom::new().fill(&mut bytes).map_err(failed)?;
        let token = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let number = u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]);
        // 2³² is no multiple of a million; the bias is below one in four thousand and helps nobody.
        Ok(Pairing { token, code: format!("{:06}", number % 1_000_000), wrong_codes: AtomicU32::new(0) })
    }

    /// True if this is the code and it has not been guessed at too often.
    pub fn accepts_code(&self, code: &str) -> bool {
        if self.wrong_codes.load(Ordering::Relaxed) >= MOST_WRONG_CODES {
            return false;
        }
        let right = same(code, &self.code);
        if !right {
            self.wrong_codes.fetch_add(1, Ordering::Relaxed);
        }
        right
    }

    pub fn accepts_token(&self, token: &str) -> bool {
        same(token, &self.token)
    }

    /// `Set-Cookie` for someone who has shown token or code.
    pub fn cookie(&self, secure: bool) -> String {
        let secure = if secure { "; Secure" } else { "" };
        format!("{COOKIE_NAME}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.token)
    }
}

/// Equal, in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |different, (x, y)| different | (x ^ y)) == 0
}

/// The rules of one server.
pub struct Access {
    /// Set where the network may come in.
    pub pairing: Option<Pairing>,
    /// Another page that may connect, such as a development server's.
    pub extra_origin: Option<String>,
}

impl Access {
    /// True if the request names this server. Another name that leads here (DNS rebinding) is refused.
    pub fn allows_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = text(headers, &HOST) else { return false };
        let name = host_name(host);
        // Addresses cannot be rebound, and those of the network need the token anyway.
        is_local(name) || self.pairing.is_some() && name.parse::<IpAddr>().is_ok()
    }

    /// True if no page, or a page of this very server, asks for the connection.
    pub fn allows_origin(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN) else { return true };
        let (Ok(origin), Some(host)) = (origin.to_str(), text(headers, &HOST)) else { return false };
        let own = [format!("http://{host}"), format!("https://{host}")];
        own.iter().any(|own| own == origin) || self.extra_origin.as_deref() == Some(origin)
    }

    /// True for this machine itself and for those who are paired.
    pub fn allows_peer(&self, headers: &HeaderMap, peer: SocketAddr, query: Option<&str>) -> bool {
        let Some(pairing) = &self.pairing else { return true };
        let local = peer.ip().to_canonical().is_loopback()
            && text(headers, &HOST).is_some_and(|host| is_local(host_name(host)));
        let cookie = cookie(headers).is_some_and(|token| pairing.accepts_token(token));
        local || cookie || query_value(query, "token").is_some_and(|token| pairing.accepts_token(token))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// `host:port` without the port; IPv6 addresses without their brackets.
fn host_name(host: &str) -> &str {
    if let Some(inner) = host.strip_prefix('[') {
        return inner.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = text(headers, &COOKIE)?.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value)
}

/// The value of a key of a query, if it needs no decoding.
pub fn query_value<'a>(query: Option<&'a str>, key: &str) -> Option<&'a str> {
    query?.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (axum::http::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn peer(ip: &str) -> SocketAddr {
        SocketAddr::new(ip.parse().unwrap(), 50_000)
    }

    #[test]
    fn only_pages_of_this_server_connect() {
        let access = Access { pairing: None, extra_origin: Some("http://localhost:5173".to_owned()) };
        let host = ("host", "localhost:4400");
        for (origin, allowed) in [
            ("http://localhost:4400", true),
            ("https://localhost:4400", true),
            ("http://localhost:5173", true),
            ("http://localhost:4401", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            assert_eq!(access.allows_origin(&headers(&[host, ("origin", origin)])), allowed, "{origin}");
        }
        assert!(access.allows_origin(&headers(&[host])), "a program is no page");
    }

    #[test]
    fn other_names_for_this_machine_are_refused() {
        let access = Access { pairing: None, extra_origin: None };
        for (name, allowed) in [
            ("localhost:4400", true),
            ("127.0.0.1:4400", true),
            ("[::1]:4400", true),
            ("evil.example:4400", false),
            ("192.168.1.7:4400", false),
        ] {
            assert_eq!(access.allows_host(&headers(&[("host", name)])), allowed, "{name}");
        }
        assert!(!access.allows_host(&headers(&[])));
    }

    #[test]
    fn the_network_needs_the_token() {
        let pairing = Pairing::random().unwrap();
        let (token, code) = (pairing.token.clone(), pairing.code.clone());
        assert_eq!((token.len(), code.len()), (32, 6));
        let access = Access { pairing: Some(pairing), extra_origin: None };
        let host = ("host", "192.168.1.7:4400");
        let (near, far) = (peer("127.0.0.1"), peer("192.168.1.9"));
        assert!(access.allows_host(&headers(&[host])));
        assert!(!access.allows_host(&headers(&[("host", "evil.example")])));
        assert!(!access.allows_peer(&headers(&[host]), far, None));
        assert!(!access.allows_peer(&headers(&[host]), far, Some("token=1234")));
        assert!(access.allows_peer(&headers(&[host]), far, Some(&format!("a=b&token={token}"))));
        let cookie = format!("other=1; {COOKIE_NAME}={token}");
        assert!(access.allows_peer(&headers(&[host, ("cookie", &cookie)]), far, None));
        assert!(access.allows_peer(&headers(&[("host", "localhost:4400")]), near, None));
        // A proxy on this machine does not make its guests local.
        assert!(!access.allows_peer(&headers(&[host]), near, None));
        let pairing = access.pairing.unwrap();
        assert!(pairing.accepts_code(&code));
        for _ in 0..MOST_WRONG_CODES {
            assert!(!pairing.accepts_code("wrong!"));
        }
        assert!(!pairing.accepts_code(&code) && pairing.accepts_token(&token));
    }
}
