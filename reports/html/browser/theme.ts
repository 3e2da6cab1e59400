const THEMES = ["auto", "light", "dark"] as const;

/** Light, dark or the system's theme; remembered where the browser lets a page from a file store it. */
export function startTheme(): void {
  const button = document.querySelector<HTMLButtonElement>(".theme");
  let theme: string = remembered() ?? "auto";
  const apply = (): void => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    if (button !== null) button.textContent = `Theme: ${theme}`;
    document.dispatchEvent(new Event("themechange"));
  };
  button?.addEventListener("click", () => {
    theme = THEMES[(THEMES.findIndex((name) => name === theme) + 1) % THEMES.length] ?? "auto";
    try {
      localStorage.setItem("lockstorm-theme", theme);
    } catch {
      // Not remembered then.
    }
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    document.dispatchEvent(new Event("themechange")),
  );
  apply();
}

function remembered(): string | undefined {
  try {
    return localStorage.getItem("lockstorm-theme") ?? undefined;
  } catch {
    return undefined;
  }
}
