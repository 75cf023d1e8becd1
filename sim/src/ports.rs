//! The documented default ports, consecutive from a configurable base.
/// First of the default ports.
pub const BASE: u16 = 4700;

/// The port of each part of the platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports {
    /// The REST service, 4700 by default.
    pub rest: u16,
    /// The swap service, 4701 by default.
    pub swap: u16,
    /// The control plane, 4702 by default.
    pub control: u16,
    /// RPC of the primary chain, 4703 by default.
    pub primary_chain: u16,
    /// RPC of the second chain, 4704 by default.
    pub second_chain: u16,
}

impl Ports {
    /// Five consecutive ports from `base`; a base of 0 lets the system choose free ones. `None` if they do not fit below 65536.
    #[must_use]
    pub fn from_base(base: u16) -> Option<Self> {
        let step = u16::from(base != 0);
        base.checked_add(4 * step)?;
        let [rest, swap, control, primary_chain, second_chain] =
            [0, 1, 2, 3, 4].map(|place| base + place * step);
        Some(Self { rest, swap, control, primary_chain, second_chain })
    }
}

#[cfg(test)]
mod tests {
    use super::{BASE, Ports};

    #[test]
    fn the_defaults_are_consecutive() {
        let ports = Ports::from_base(BASE).unwrap();
        assert_eq!(ports.rest, 4700);
        assert_eq!(ports.second_chain, 4704);
    }

    #[test]
    fn port_zero_is_kept_and_overflow_refused() {
        let free = Ports::from_base(0).unwrap();
        assert_eq!([free.rest, free.swap, free.control, free.primary_chain, free.second_chain], [0; 5]);
        assert!(Ports::from_base(65_531).is_some());
        assert!(Ports::from_base(65_532).is_none());
    }
}
