import { readAddress, writeAddress } from "./page-address.ts";
import { openRun, type RunView } from "./run-view.ts";
import { startTheme } from "./theme.ts";

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

/**
 * Shows one run at a time where there are several; each is drawn when it is first shown. The address says which, and
 * what of it: a link to an event opens it.
 */
function startRuns(): void {
  const sections = [...document.querySelectorAll<HTMLElement>("section.run")];
  const chooser = document.querySelector<HTMLSelectElement>("#run-chooser");
  const views = new Map<number, Promise<RunView>>();
  const show = (place: number): Promise<RunView> | undefined => {
    sections.forEach((section, index) => (section.hidden = index !== place));
    if (chooser !== null) chooser.selectedIndex = place;
    const section = sections[place];
    if (section === undefined) return undefined;
    const opened = views.get(place) ?? openRun(section, place);
    views.set(place, opened);
    opened.catch((error: unknown) => {
      section.dataset["failed"] = "true";
      console.error(error);
    });
    return opened;
  };
  const follow = (): void => {
    const { run, part } = readAddress(location.hash);
    const place = run < sections.length ? run : 0;
    const opened = show(place);
    if (part === undefined) return;
    void opened?.then(
      (view) => view.goTo(part),
      () => {},
    );
  };
  chooser?.addEventListener("change", () => {
    void show(chooser.selectedIndex);
    writeAddress({ run: chooser.selectedIndex });
  });
  for (const button of document.querySelectorAll<HTMLElement>(".show-run")) {
    button.addEventListener("click", () => {
      const run = Number(button.dataset["run"]);
      void show(run);
      writeAddress({ run });
      sections[run]?.scrollIntoView({ block: "start" });
    });
  }
  addEventListener("hashchange", follow);
  follow();
}

/** A cell of the table without a run says what was found, and how to search it again. */
function startCells(): void {
  const infos = document.querySelectorAll<HTMLElement>(".cell-info");
  const buttons = document.querySelectorAll<HTMLElement>(".show-cell");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const { cell } = button.dataset;
      for (const info of infos) info.hidden = info.dataset["cell"] !== cell;
      for (const other of buttons) other.classList.toggle("chosen", other === button);
    });
  }
}

/** On paper nothing can be unfolded. */
function startPrinting(): void {
  let opened: readonly HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("section.run:not([hidden]) details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

startTheme();
startCopying();
startRuns();
startCells();
startPrinting();
