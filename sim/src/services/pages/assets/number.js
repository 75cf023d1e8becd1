// Amounts and balances as the server writes them (`number.rs`): a few digits to read, rounded down, and every digit in the title.
"use strict";
(() => {
  const [SIGNIFICANT, LONG, ZEROS, OF_BALANCE] = [4, 16, 4, 4];
  const small = (number, digits) => [...String(number)].map((digit) => digits[digit]).join("");
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

  function exact(units, decimals) {
    const digits = units.toString().padStart(decimals + 1, "0");
    const whole = digits.slice(0, digits.length - decimals);
    const part = digits.slice(whole.length).replace(/0+$/, "");
    return part ? `${whole}.${part}` : whole;
  }

  const cut = (units, places) => units / 10n ** BigInt(places);

  function short(units, decimals, least = 0) {
    const digits = units.toString().length;
    if (digits >= decimals + LONG) {
      const power = small(digits - 1 - decimals, "⁰¹²³⁴⁵⁶⁷⁸⁹");
      return `${exact(cut(units, digits - SIGNIFICANT), 3)}×10${power}`;
    }
    const places = Math.min(Math.max(decimals + SIGNIFICANT - digits, least), decimals);
    const [whole, part] = exact(cut(units, decimals - places), places).split(".");
    if (!part) return grouped(whole);
    const rest = part.replace(/^0+/, "");
    const zeros = part.length - rest.length;
    if (whole === "0" && zeros >= ZEROS) return `0.0${small(zeros, "₀₁₂₃₄₅₆₇₈₉")}${rest}`;
    return `${grouped(whole)}.${part}`;
  }

  // What an account has, with its symbol, as nodes.
  function balance({ symbol, decimals }, units) {
    const data = document.createElement("data");
    data.value = units;
    data.title = exact(units, decimals);
    data.textContent = short(units, decimals, OF_BALANCE);
    const name = document.createElement("bdi");
    name.textContent = symbol;
    return [data, " ", name];
  }

  Object.assign(window.slipway, { balance, exact, short });
})();
