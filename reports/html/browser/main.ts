import { openRun } from "./run-view.ts";

const THEMES = ["auto", "light", "dark"] as const;

/** Light, dark or the system's theme; remembered where the browser lets a page from a file store it. */
function startTheme(): void {
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

function startCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy")) {
    button.addEventListener("click", () => {
      const text = button.parentElement?.querySelector("code")?.textContent ?? "";
      void navigator.clipboard.writeText(text).then(
        () => (button.textContent = "Copied"),
        () => (button.textContent = "Select and copy"),
      );
    });
  }
}

/** Shows one run at a time where there are several; each is drawn when it is first shown. */
function startRuns(): void {
  const sections = [...document.querySelectorAll<HTMLElement>("section.run")];
  const chooser = document.querySelector<HTMLSelectElement>("#run-chooser");
  const show = (place: number): void => {
    sections.forEach((section, index) => (section.hidden = index !== place));
    const section = sections[place];
    if (section === undefined || section.dataset["opened"] === "true") return;
    section.dataset["opened"] = "true";
    openRun(section).catch((error: unknown) => {
      section.dataset["failed"] = "true";
      console.error(error);
    });
  };
  chooser?.addEventListener("change", () => show(chooser.selectedIndex));
  for (const button of document.querySelectorAll<HTMLElement>(".show-run")) {
    button.addEventListener("click", () => {
      const place = Number(button.dataset["run"]);
      if (chooser !== null) chooser.selectedIndex = place;
      show(place);
      sections[place]?.scrollIntoView({ block: "start" });
    });
  }
  show(0);
}

startTheme();
startCopying();
startRuns();
