// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IEmperorAuction} from "../sol/interfaces/IEmperorAuction.sol";
import {ITokenRegistry} from "../sol/interfaces/ITokenRegistry.sol";
import {ITokenFactory} from "../sol/legacy/ITokenFactory.sol";
import {CaptchaAuth, CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @notice What newer forge offers and the published test library does not name yet.
interface GasSnapshots {
    function snapshotGasLastCall(string calldata name) external returns (uint256 gas);
}

/// @title What each entry costs
/// @notice Writes one figure an entry; they are compared with the committed ones.
contract GasTest is LaunchFixture {
    function _note(string memory entry) private {
        GasSnapshots(address(vm)).snapshotGasLastCall(entry);
    }

    function test_creation() public {
        vm.startPrank(creator);
        hook.createLaunch(_params());
        _note("createLaunch");
        hook.createLaunch{value: 0.1 ether}(_params());
        _note("createLaunch, with a first purchase");
        hook.createLaunchWithReferral(_params(), "REF-1");
        _note("createLaunchWithReferral");
        vm.stopPrank();
        vm.prank(owner);
        hook.setCreationPaused(true);
        _note("setCreationPaused");
    }

    function test_trading() public {
        CreateLaunchParams memory params = _params();
        params.antiSnipeDuration = 20;
        (uint256 launchId, IToken token) = _launch(params, 0.1 ether);
        CaptchaAuth memory auth = _auth(alice, launchId, uint64(block.timestamp), "gas");
        CaptchaAuth memory none = _noAuth();
        vm.startPrank(alice);
        hook.buy{value: 0.1 ether}(launchId, 0, auth);
        _note("buy, with a captcha authorisation");
        skip(21);
        hook.buy{value: 0.1 ether}(launchId, 0, none);
        _note("buy");
        hook.buyWithReferral{value: 0.1 ether}(launchId, 0, none, "REF-1");
        _note("buyWithReferral");
        token.approve(address(hook), type(uint256).max);
        hook.sell(launchId, 1e22, 0, none);
        _note("sell");
        hook.sellWithReferral(launchId, 1e22, 0, none, "REF-1");
        _note("sellWithReferral");
        hook.buy{value: 5 ether}(launchId, 0, none);
        _note("buy, reaching the target");
        vm.stopPrank();
    }

    function test_feesAndBuybacks() public {
        (uint256 launchId,) = _launch();
        _buy(alice, launchId, 1 ether);
        vm.startPrank(creator);
        hook.updateCreatorFeeSplit(launchId, 1_000);
        _note("updateCreatorFeeSplit");
        hook.withdrawFees();
        _note("withdrawFees");
        vm.stopPrank();
        hook.executeAccumulatedBuyback(launchId);
        _note("executeAccumulatedBuyback, from the curve");
        _buy(alice, launchId, 5 ether);
        hook.executeAccumulatedBuyback(launchId);
        _note("executeAccumulatedBuyback, from the pool");
        hook.collectPoolFees(launchId);
        _note("collectPoolFees");
    }

    function test_previews() public {
        (uint256 launchId,) = _launch();
        _buy(alice, launchId, 1 ether);
        LaunchConfig memory launch = _state(launchId);
        _note("getLaunchState");
        hook.previewBuy(launchId, 0.1 ether);
        _note("previewBuy");
        hook.previewSell(launchId, 1e22);
        _note("previewSell");
        viewer.previewBuyLocal(
            launch.saleSupply,
            launch.targetRaise,
            launch.gainBps,
            launch.sold,
            launch.saleSupply - launch.sold,
            0.1 ether
        );
        _note("previewBuyLocal");
        viewer.previewSellLocal(
            launch.saleSupply,
            launch.targetRaise,
            launch.gainBps,
            launch.sold,
            1e22,
            launch.netContributions,
            5_000,
            100,
            100,
            10_000
        );
        _note("previewSellLocal");
        viewer.previewSaleSplit(2 ether, 50_000);
        _note("previewSaleSplit");
    }

    function test_firstVersion() public {
        bytes memory arguments = abi.encode(Artifacts.deployPairFactory(owner), weth, owner, protocol);
        ITokenFactory factory =
            ITokenFactory(Artifacts.create(abi.encodePacked(Artifacts.creationCode("TokenFactory"), arguments)));
        address token = factory.createToken("Old", "OLD", "", "");
        _note("TokenFactory.createToken");
        vm.startPrank(alice);
        factory.buy{value: 1 ether}(token, 0);
        _note("TokenFactory.buy");
        IToken(token).approve(address(factory), type(uint256).max);
        factory.sell(token, 1e22, 0);
        _note("TokenFactory.sell");
        factory.buy{value: 5 ether}(token, 0);
        _note("TokenFactory.buy, reaching the target");
        factory.withdrawFees();
        _note("TokenFactory.withdrawFees");
        vm.stopPrank();
        vm.prank(owner);
        factory.closeCreation();
        _note("TokenFactory.closeCreation");
    }

    function test_auction() public {
        (, IToken token) = _launch();
        ITokenRegistry[] memory registries = new ITokenRegistry[](1);
        registries[0] = ITokenRegistry(address(hook));
        bytes memory code = Artifacts.creationCode("EmperorAuction");
        IEmperorAuction auction =
            IEmperorAuction(Artifacts.create(abi.encodePacked(code, abi.encode(registries, protocol))));
        vm.prank(alice);
        auction.bid{value: 1 ether}(address(token));
        _note("EmperorAuction.bid");
        auction.bidData();
        _note("EmperorAuction.bidData");
        auction.withdrawProceeds();
        _note("EmperorAuction.withdrawProceeds");
    }
}
