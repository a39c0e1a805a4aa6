//! Addresses that a call may connect to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of place an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Somewhere in the internet.
    Public,
    /// This machine or the network around it: open where the catalog says so.
    Private,
    /// Never a server that a plan means: metadata of a cloud, link-local, multicast, reserved, examples.
    Never,
}

/// Metadata services that have an address within a private range.
const METADATA: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
];

/// The place that an address is; one that carries an IPv4 address is where that is.
///
/// The ranges are those of the registries of special addresses (RFC 6890 and its updates). What they do not
/// know as global unicast is nowhere.
pub(super) fn place(address: IpAddr) -> Place {
    if METADATA.contains(&address) {
        return Place::Never;
    }
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> Place {
    match address.octets() {
        [127 | 10, ..] | [192, 168, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => {
            Place::Private
        }
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Place::Never,
        _ => Place::Public,
    }
}

fn v6(address: Ipv6Addr) -> Place {
    let within = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        // by way of an IPv4 network, nothing but the internet is reached
        place(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    match address.segments() {
        // mapped: the very same place
        [0, 0, 0, 0, 0, 0xffff, high, low] => within(high, low),
        [0, 0, 0, 0, 0, 0, 0, 1] | [0xfc00..=0xfdff, ..] => Place::Private,
        // translated, and 6to4
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            match within(high, low) {
                Place::Public => Place::Public,
                Place::Private | Place::Never => Place::Never,
            }
        }
        // protocol assignments with Teredo and ORCHID, examples
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Place::Never,
        [0x2000..=0x3fff, ..] => Place::Public,
        _ => Place::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(addresses: &[&str], expected: Place) {
        for address in addresses {
            assert_eq!(place(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn only_global_unicast_is_public() {
        all(
            &[
                "93.184.215.14",
                "8.8.8.8",
                "1.1.1.1",
                "172.15.0.1",
                "172.32.0.1",
                "100.63.0.1",
                "100.128.0.1",
                "169.253.1.1",
                "198.17.0.1",
                "2606:2800:21f::1",
                "2001:4860:4860::8888",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
                "2002:808:808::1",
            ],
            Place::Public,
        );
    }

    #[test]
    fn the_network_around_is_private() {
        all(
            &[
                "127.0.0.1",
                "127.8.8.8",
                "10.1.2.3",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "100.64.0.1",
                "::1",
                "fc00::1",
                "fd12::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
            ],
            Place::Private,
        );
    }

    #[test]
    fn special_addresses_are_never_called() {
        all(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "169.254.169.254",
                "100.100.100.200",
                "192.0.0.8",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::127.0.0.1",
                "::ffff:0:127.0.0.1",
                "::ffff:169.254.169.254",
                "64:ff9b::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:10::1",
                "2001:20::1",
                "2001:db8::1",
                "2002:7f00:1::",
                "2002:a00:1::",
                "3fff::1",
                "5f00::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "fd00:ec2::254",
            ],
            Place::Never,
        );
    }

    proptest::proptest! {
        #[test]
        fn an_address_in_disguise_is_no_more_open(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            let [high, low] = [(bits >> 16) as u16, (bits & 0xffff) as u16];
            let mapped = plain.to_ipv6_mapped();
            assert_eq!(place(mapped.into()), place(plain.into()));
            let translated = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low);
            let tunnelled = Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1);
            for carried in [translated, tunnelled] {
                let open = place(plain.into()) == Place::Public;
                assert_eq!(place(carried.into()) == Place::Public, open, "{carried}");
                assert_ne!(place(carried.into()), Place::Private, "{carried}");
            }
        }
    }
}
