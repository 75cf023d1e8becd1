// Amounts as the server writes them (`number.rs`): four significant digits to read, every digit in the title.
"use strict";
(() => {
  const [SIGNIFICANT, LONG, ZEROS] = [4, 16, 4];
  const small = (number, digits) => [...String(number)].map((digit) => digits[digit]).join("");
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

  function exact(units, decimals) {
    const digits = units.toString().padStart(decimals + 1, "0");
    const whole = digits.slice(0, digits.length - decimals);
    const part = digits.slice(whole.length).replace(/0+$/, "");
    return part ? `${whole}.${part}` : whole;
  }

  function rounded(units, places) {
    const unit = 10n ** BigInt(places);
    const rest = units % unit;
    return units / unit + (rest !== 0n && rest >= unit - rest ? 1n : 0n);
  }

  function short(units, decimals) {
    const digits = units.toString().length;
    if (digits >= decimals + LONG) {
      const power = small(digits - 1 - decimals, "⁰¹²³⁴⁵⁶⁷⁸⁹");
      return `${exact(rounded(units, digits - SIGNIFICANT), 3)}×10${power}`;
    }
    const places = Math.min(Math.max(decimals + SIGNIFICANT - digits, 0), decimals);
    const [whole, part] = exact(rounded(units, decimals - places), places).split(".");
    if (!part) return grouped(whole);
    const rest = part.replace(/^0+/, "");
    const zeros = part.length - rest.length;
    if (whole === "0" && zeros >= ZEROS) return `0.0${small(zeros, "₀₁₂₃₄₅₆₇₈₉")}${rest}`;
    return `${grouped(whole)}.${part}`;
  }

  // The number and its symbol, as nodes.
  function amount({ symbol, decimals }, units) {
    const data = document.createElement("data");
    data.value = units;
    data.title = exact(units, decimals);
    data.textContent = short(units, decimals);
    const name = document.createElement("bdi");
    name.textContent = symbol;
    return [data, " ", name];
  }

  Object.assign(window.slipway, { amount, exact, short });
})();
