//! The declarations of tools besides their inputs, and whether their answers conform.
use super::fixture::{Session, ToolReply, ToolServerFixture, WRITES, confirmed, with};
use crate::model::figure::Figure;
use crate::prelude::*;

clause! {
    MCP_HINTS = "MCP-HINTS" (choice):
        "Tools declare what they do, the bounds of their arguments and the form of their results, results keep that form, and errors name the next step.";
    check!("tool-server-hints" [Read; ToolServer, Rest, PrimaryChain] tools_say_what_they_do:
        "each tool declares what it does, its results, the bounds of its arguments and its aliases");
    check!("tool-server-results" [Write; ToolServer, Rest, PrimaryChain, Accounts] results_keep_their_schemas:
        "each result keeps the schema its tool states");
    check!("tool-server-errors" [Read; ToolServer, Rest, PrimaryChain] errors_advise:
        "errors name the fault and the next step");
}
pub(super) async fn tools_say_what_they_do(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let reply = session.tools().await?;
    for tool in reply.tools() {
        let name = tool["name"].as_str().unwrap_or_default();
        let launches = name == "launch_token";
        for (hint, expected) in [
            ("readOnlyHint", !launches),
            ("destructiveHint", launches),
            ("idempotentHint", !launches),
            ("openWorldHint", true),
        ] {
            let stated = tool["annotations"][hint].as_bool();
            session.require_equal(&reply, &format!("{hint} of {name}"), &Some(expected), &stated)?;
        }
        let titled = [&tool["title"], &tool["annotations"]["title"]].iter().any(|title| title.is_string());
        session.require_equal(&reply, &format!("{name} has a title"), &true, &titled)?;
        let output = tool["outputSchema"]["properties"].as_object().is_some_and(|output| !output.is_empty());
        session.require_equal(&reply, &format!("{name} states its output"), &true, &output)?;
        let closed = tool["inputSchema"]["additionalProperties"] == json!(false);
        session.require_equal(&reply, &format!("{name} takes nothing unknown"), &true, &closed)?;
    }
    arguments_are_stated(&session, &reply)
}

/// The schemas of preview and launch state the bounds and defaults of their arguments, and how to confirm.
fn arguments_are_stated(fixture: &ToolServerFixture<'_>, reply: &ToolReply) -> Verdict {
    for tool in ["preview_launch", "launch_token"] {
        let properties = &reply.tool(tool)["inputSchema"]["properties"];
        for (name, keyword, bound) in [
            ("name", "minLength", 1),
            ("name", "maxLength", 48),
            ("ticker", "minLength", 1),
            ("ticker", "maxLength", 12),
            ("description", "minLength", 1),
            ("description", "maxLength", 500),
            ("targetRaiseEth", "minimum", 1),
            ("targetRaiseEth", "maximum", 5),
            ("curveGainMultiplier", "minimum", 1),
            ("curveGainMultiplier", "maximum", 21),
            ("creatorFeeSplitBps", "minimum", 0),
            ("creatorFeeSplitBps", "maximum", 10_000),
            ("referralCode", "maxLength", 64),
        ] {
            let stated =
                keyword_of(&properties[name], keyword).and_then(|value| Figure::parse(&value.to_string()));
            let bound = Some(Figure::whole(bound));
            fixture.require_equal(reply, &format!("{keyword} of {name}"), &bound, &stated)?;
        }
        for (argument, default) in [
            ("curveGainMultiplier", json!(6)),
            ("creatorFeeSplitBps", json!(5000)),
            ("antiSnipeSeconds", json!(0)),
            ("startTimestamp", json!(0)),
            ("prebuyEth", json!(0)),
            ("messenger", json!("")),
            ("microblog", json!("")),
            ("website", json!("")),
            ("referralCode", json!("")),
        ] {
            let what = format!("default of {argument} of {tool}");
            fixture.require_equal(reply, &what, &default, &properties[argument]["default"])?;
        }
    }
    let confirm = &reply.tool("launch_token")["inputSchema"]["properties"]["confirm"];
    let listed = || keyword_of(confirm, "enum").and_then(|values| values.get(0));
    let stated = keyword_of(confirm, "const").or_else(listed);
    fixture.require_equal(reply, "the text that confirms", &Some(&json!("YES")), &stated)
}

/// Finds a keyword of a schema, also within its alternatives.
fn keyword_of<'a>(schema: &'a Value, keyword: &str) -> Option<&'a Value> {
    let alternatives =
        ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|several| schema[several].as_array());
    schema.get(keyword).or_else(|| alternatives.flatten().find_map(|schema| keyword_of(schema, keyword)))
}

pub(super) async fn results_keep_their_schemas(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    let launched = fixture.plain_launch(&mut trial.choices("hints")).await?.1;
    let mut session = fixture.open(&[WRITES]).await?;
    let tools = session.tools().await?;
    for (name, arguments) in [
        ("wallet_info", json!({})),
        ("preview_launch", with(&json!({}))),
        ("preview_launch", with(&json!({"referralCode": "abc", "website": "https://1.1.1.1/"}))),
        ("recent_launches", json!({})),
        ("launch_status", json!({"launchId": launched.id.to::<u64>()})),
        ("launch_status", json!({"launchId": launched.id.to_string()})),
        ("launch_token", confirmed(&json!({}))),
    ] {
        let (reply, _) = session.serves(name, &arguments, "the arguments are right").await?;
        let result = &reply.message["result"];
        if let Err(broken) = keeps(&tools.tool(name)["outputSchema"], &result["structuredContent"]) {
            let expected = format!("a result that outputSchema accepts: {broken}");
            return Err(fixture.failure(&reply, expected, reply.excerpt()));
        }
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let text: Value = serde_json::from_str(text).unwrap_or_default();
        fixture.require_equal(&reply, "the text equals it", &result["structuredContent"], &text)?;
    }
    Ok(())
}

pub(super) async fn errors_advise(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let tools = session.tools().await?;
    for (tool, arguments, about) in [
        ("preview_launch", with(&json!({"name": ""})), "name"),
        ("preview_launch", with(&json!({"targetRaiseEth": 9})), "targetRaiseEth"),
        ("preview_launch", with(&json!({"website": "http://1.1.1.1/"})), "website"),
        ("preview_launch", with(&json!({"nonsense": 1})), "nonsense"),
        ("launch_status", json!({}), "launchId"),
        ("recent_launches", json!({"limit": 51}), "limit"),
        ("launch_token", confirmed(&json!({})), "SERVICE_MCP_ENABLE_WRITES"),
    ] {
        let reply = session.call(tool, &arguments).await?;
        let result = &reply.message["result"];
        let of_tool = &result["isError"];
        session.require_equal(&reply, "an error of the tool, not of the protocol", &json!(true), of_tool)?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        session.require_equal(&reply, &format!("the text mentions {about}"), &true, &text.contains(about))?;
        let advice = text.split_once("Next: ").map_or("", |(_, advice)| advice.trim());
        let advised = advice.starts_with(|first: char| first.is_alphabetic());
        session.require_equal(&reply, "the text names the next step", &true, &advised)?;
        if let Some(structured) = result.get("structuredContent") {
            let kept = keeps(&tools.tool(tool)["outputSchema"], structured);
            session.require_equal(
                &reply,
                "structured content keeps the schema of the output",
                &Ok(()),
                &kept,
            )?;
        }
    }
    Ok(())
}

/// Validates a value against a schema; the error says what is broken, and where. Invalid schemas are judged where tools are listed.
fn keeps(schema: &Value, value: &Value) -> Result<(), String> {
    let Ok(validator) = jsonschema::validator_for(schema) else { return Ok(()) };
    validator.validate(value).map_err(|error| format!("{:?}: {error}", error.instance_path().as_str()))
}
