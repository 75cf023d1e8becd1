//! Statements on the swap service.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S211",
        text: "`GET /api/quote` of the swap service requires `tokenIn`, a string, the address of the input \
            token.",
        gap: Some("The status code of a malformed address is left to the platform."),
    },
    Statement {
        id: "S212",
        text: "The zero address, `0x` and 40 zeros, as `tokenIn` of `GET /api/quote` means native ETH.",
        gap: None,
    },
    Statement {
        id: "S213",
        text: "`GET /api/quote` of the swap service requires `tokenOut`, a string, the address of the output \
            token, where the zero address means native ETH.",
        gap: Some("The status code of a malformed address is left to the platform."),
    },
    Statement {
        id: "S214",
        text: "`amount` of `GET /api/quote`, a string, is the exact input in smallest units.",
        gap: Some("The treatment of zero and of malformed amounts is left to the platform."),
    },
    Statement {
        id: "S215",
        text: "`amountOut` as a parameter of `GET /api/quote`, a string, is the exact output in smallest \
            units.",
        gap: Some(
            "The treatment of zero and of malformed amounts, and the choice of the route, are left to \
            the platform.",
        ),
    },
    Statement {
        id: "S219",
        text: "A request of `GET /api/quote` contains exactly one of `amount` and `amountOut`.",
        gap: None,
    },
    Statement {
        id: "S216",
        text: "`slippage` of `GET /api/quote`, an optional string or number, is a tolerance in basis points \
            from 0 to 10000, where 100 is 1 %.",
        gap: Some("Whether fractions of a basis point are valid is left to the platform."),
    },
    Statement {
        id: "S217",
        text: "`buildTx` of `GET /api/quote`, a boolean, false by default, requests router calldata for a \
            routed swap.",
        gap: None,
    },
    Statement {
        id: "S218",
        text: "`GET /api/quote` requires `userAddress`, a string, the wallet's address, when `buildTx` is \
            true.",
        gap: None,
    },
    Statement {
        id: "S71",
        text: "`amountIn` of the quote object is a string, the actual input in smallest units.",
        gap: Some("The rounding for an exact output is left to the platform."),
    },
    Statement {
        id: "S72",
        text: "`amountOut` of the quote object is a string, the expected output in smallest units.",
        gap: Some("The choice of the route is left to the platform."),
    },
    Statement {
        id: "S73",
        text: "`minimumAmountOut` of the quote object is an optional string, the least output after \
            slippage, present when a slippage is given.",
        gap: Some("The rounding is left to the platform."),
    },
    Statement {
        id: "S74",
        text: "`maximumAmountIn` of the quote object is an optional string, the most input after slippage, \
            present for an exact output.",
        gap: Some("The rounding, and the value without a slippage, are left to the platform."),
    },
    Statement {
        id: "S220",
        text: "`minimumAmountOut` is present in a quote for an exact input with a slippage, and \
            `maximumAmountIn` in a quote for an exact output.",
        gap: Some("The value of `maximumAmountIn` without a slippage is left to the platform."),
    },
    Statement {
        id: "S75",
        text: "`executionRate` of the quote object is a string, the rate of this trade with its price \
            impact.",
        gap: Some("The scale of the rate, its direction and its rounding are left to the platform."),
    },
    Statement {
        id: "S76",
        text: "`spotRate` of the quote object is a string, the spot price without price impact.",
        gap: Some("The scale of the rate, its direction and its rounding are left to the platform."),
    },
    Statement {
        id: "S77",
        text: "`path` of the quote object is an array of strings, the token addresses of the route.",
        gap: Some(
            "The address that represents native ETH, and the choice of the route, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S78",
        text: "`priceImpact` of the quote object is a number from 0 to 1, the estimated price impact.",
        gap: Some("The formula, and whether the fee counts as impact, are left to the platform."),
    },
    Statement {
        id: "S79",
        text: "`lpFee` of the quote object is a string, the whole fee of the liquidity providers as an \
            amount of the input token.",
        gap: Some(
            "The fee rate, the rounding and whether the amount is in smallest units are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S80",
        text: "`metadata.lpFeePercent` of the quote object is a number.",
        gap: Some("Whether it is a fraction or a percentage is left to the platform."),
    },
    Statement { id: "S81", text: "`metadata.routerAddress` of the quote object is a string.", gap: None },
    Statement {
        id: "S82",
        text: "`metadata.slippageBps` of the quote object is an optional number.",
        gap: Some("When it is present is left to the platform."),
    },
    Statement {
        id: "S83",
        text: "`transaction` of the quote object is present only when `buildTx` is true and the swap is \
            routed.",
        gap: None,
    },
    Statement {
        id: "S84",
        text: "`transaction` of the quote object contains the strings `from`, `to`, `data`, `value`, \
            `gasPrice` and `gas`.",
        gap: Some(
            "Whether the numbers are decimal or hexadecimal, and how they are estimated, is left to \
            the platform.",
        ),
    },
    Statement {
        id: "S222",
        text: "Before signing, a client simulates the `transaction` of a quote and confirms that a token \
            allowance is for the returned router.",
        gap: None,
    },
    Statement {
        id: "S85",
        text: "A quote that wraps native ETH directly into the wrapped native token is one to one.",
        gap: Some("Whether unwrapping is quoted in the same way is left to the platform."),
    },
    Statement {
        id: "S86",
        text: "`executionRate` and `spotRate` of a quote that wraps native ETH are `1`.",
        gap: None,
    },
    Statement {
        id: "S87",
        text: "`priceImpact` of a quote that wraps native ETH is `0`, `lpFee` is `0` and \
            `metadata.lpFeePercent` is `0`.",
        gap: None,
    },
    Statement {
        id: "S88",
        text: "A quote that wraps native ETH contains no `transaction`, even when `buildTx` is true.",
        gap: None,
    },
    Statement {
        id: "S221",
        text: "`GET /api/quote` quotes swaps through the router of the exchange; it quotes neither the \
            bonding curve nor trades after the funding.",
        gap: None,
    },
    Statement { id: "S331", text: "`GET /api/quote` covers the V2 router of the exchange.", gap: None },
    Statement {
        id: "S298",
        text: "`GET /api/quote` answers 400 when a required parameter is missing.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S299",
        text: "`GET /api/quote` answers 400 when both `amount` and `amountOut` are sent.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S300",
        text: "`GET /api/quote` answers 400 when `slippage` is invalid.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S301",
        text: "`GET /api/quote` answers 500 when the router cannot produce a route.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S302",
        text: "`GET /api/quote` answers 500 when the liquidity is insufficient.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S303",
        text: "`GET /api/quote` answers 500 when the gas estimation fails.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S308",
        text: "A quote with an address unknown to the chain finds no route and is an error.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S322",
        text: "Limit of `slippage` of `GET /api/quote`: 0 to 10000 basis points.",
        gap: Some("Whether fractions of a basis point are valid is left to the platform."),
    },
    Statement {
        id: "S223",
        text: "`GET /api/pairs` of the swap service returns the liquidity pairs of the exchange.",
        gap: Some("The parameters and the shape of the response are left to the platform."),
    },
    Statement {
        id: "S224",
        text: "`GET /api/tokens` of the swap service returns the tokens listed on the exchange.",
        gap: Some("The parameters and the shape of the response are left to the platform."),
    },
];
