"""A pytest plugin: a platform for each worker, which goes back to its beginning after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import Platform, start


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("slipway")
    group.addoption("--slipway-binary", help="path of the slipway program (default: SLIPWAY_BIN, then PATH)")
    group.addoption("--slipway-image", help="run the platform in a container of this image instead")
    group.addoption("--slipway-seed", type=int, help="decides the market and the accounts")


@pytest.fixture(scope="session")
def slipway_platform(request: pytest.FixtureRequest) -> Iterator[Platform]:
    """The platform of this worker, as the tests before have left it."""
    option = request.config.getoption
    image, seed = option("--slipway-image"), option("--slipway-seed")
    with start(option("--slipway-binary"), image=image, seed=seed) as platform:
        yield platform


@pytest.fixture
def slipway(slipway_platform: Platform) -> Iterator[Platform]:
    """The platform at its beginning; everything the test does is rolled back."""
    with slipway_platform.isolated() as platform:
        yield platform
