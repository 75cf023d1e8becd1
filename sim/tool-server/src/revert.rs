//! Names of the launch contract's errors in revert data.
use slipway_contracts::bindings::ILaunchHook;

/// Name of the error, if the launch hook declares it.
pub(crate) fn error_name(data: &[u8]) -> Option<&'static str> {
    let selector: [u8; 4] = data.get(..4)?.try_into().ok()?;
    ILaunchHook::ILaunchHookErrors::name_by_selector(selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::sol_types::SolError as _;

    #[test]
    fn errors_are_named_by_their_selector() {
        assert_eq!(error_name(&ILaunchHook::UnknownLaunch::SELECTOR), Some("UnknownLaunch"));
        assert_eq!(error_name(&[0xd3, 0x6d, 0x42, 0xc7, 0, 0]), Some("CaptchaRequired"));
        assert_eq!(error_name(&[1, 2, 3]), None);
        assert_eq!(error_name(&[0, 0, 0, 0]), None);
    }
}
