import { RESOURCE } from "../../harness/core/topology.ts";
import { listed } from "../../harness/core/listed.ts";
import { beliefsAt } from "../run/beliefs.ts";
import { causeWords } from "../run/share-words.ts";
import { storySentence } from "../run/headline.ts";
import { momentsOf, type Moment } from "../run/moments.ts";
import { rootCausesOf, type RootCause } from "../run/root-causes.ts";
import { titleOf, type RunRecord } from "../run/run-record.ts";
import { aboutKeys, overlapWords, type Story } from "../run/story.ts";
import { drawStory } from "../run/svg.ts";
import type { Timeline } from "../run/timeline.ts";
import { CAUSE_MEANING, count, formatMs, unbroken } from "../wording.ts";
import { html, Markup } from "./markup.ts";
import { drawTimeline, type TimelineScene } from "./story-timeline.ts";
import { capital } from "../../harness/core/words/capital.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

const MOST_MOMENTS = 24;
/** Stories context in full; each further one gets a line. The timeline marks all of them. */
const MOST_TOLD = 8;
/** A run without a violation is drawn as a whole only when it has no more operations than this. */
const MOST_OPERATIONS_DRAWN = 400;
/** Lanes of the picture of a whole run; the timeline below has all. */
const MOST_LANES = 8;
/** A picture for wide windows and for print, and one for narrow windows: letters must keep their size. */
const WIDTHS = [
  ["wide", 1240],
  ["narrow", 372],
] as const;

/** A run as stories: in its picture, moment by moment, and in words. */
export interface StoryContext {
  readonly run: RunRecord;
  readonly stories: readonly Story[];
  readonly timeline: Timeline;
  /** Names the run within the page. */
  readonly id: string;
}

/** The picture that comes first: of the first violation, or of the whole run where it has none. */
export function firstPicture({ run, stories, timeline }: StoryContext): Markup {
  const [story] = stories;
  if (story !== undefined) return pictures(sceneOf(story, momentsFor(story, timeline).moments, timeline));
  return wholeRunPictures(timeline, `${titleOf(run)}, the whole run`);
}

/** A whole run as a picture; nothing where it has too many operations for one. */
export function wholeRunPictures(timeline: Timeline, title: string): Markup {
  const scene = wholeRun(timeline);
  return scene === undefined ? html`` : pictures({ ...scene, title });
}

/** The first violation of a run over time, for a narrow place in any window; nothing where it has none. */
export function narrowPicture({
  stories: [story],
  timeline,
}: Pick<StoryContext, "stories" | "timeline">): Markup | undefined {
  if (story === undefined) return undefined;
  const { moments } = momentsFor(story, timeline);
  // The moments are told in the report only, but they decide which stretches of time are drawn.
  const instants = moments.map(({ time }) => time);
  const scene = { ...sceneOf(story, [], timeline), instants };
  const drawn = drawTimeline(scene, WIDTHS[1][1]);
  return html`<div class="picture">${new Markup(drawn)}</div>
    <p class="legend">${legendOf(scene, [drawn])}</p>`;
}

function pictures(scene: TimelineScene): Markup {
  const drawn = WIDTHS.map(([name, width]) => [name, drawTimeline(scene, width)] as const);
  return html`${drawn.map(([name, svg]) => html`<div class="picture ${name}">${new Markup(svg)}</div>`)}
    <p class="legend">
      ${legendOf(
        scene,
        drawn.map(([, svg]) => svg),
      )}
    </p>`;
}

function momentsFor(story: Story, timeline: Timeline): ReturnType<typeof momentsOf> {
  return momentsOf(story, timeline, MOST_MOMENTS);
}

function sceneOf(story: Story, moments: readonly Moment[], timeline: Timeline): TimelineScene {
  const { window, violation, conflicting } = story;
  const lanes = [...conflicting, ...story.lanes.filter((lane) => !conflicting.includes(lane))];
  return {
    timeline: aboutKeys(story, timeline),
    window,
    lanes,
    moments,
    overlap: violation.overlap,
    overlapSays: overlapWords(story),
    conflicting,
    title: storySentence(story),
  };
}

function wholeRun(timeline: Timeline): Omit<TimelineScene, "title"> | undefined {
  const { operations, actors, faults, holds, writes, end } = timeline;
  if (operations.length === 0 || operations.length > MOST_OPERATIONS_DRAWN) return undefined;
  const effective = faults.filter(({ outcome }) => outcome !== "skipped");
  const hit = [...new Set(effective.flatMap(({ lanes }) => lanes))].filter(
    (lane) => !actors.includes(lane) && lane !== RESOURCE,
  );
  const lanes = [...actors, ...hit.sort(), ...(writes.length > 0 ? [RESOURCE] : [])].slice(0, MOST_LANES);
  const instants = [...operations, ...effective, ...holds].flatMap(({ from, to }) => [from, to]);
  return { timeline, window: { from: 0, to: Math.max(end * 1.02, 1) }, lanes, moments: [], conflicting: [], instants };
}

/** What the colours and marks mean, of those that these drawings of a scene use. */
function legendOf({ overlapSays, conflicting, timeline }: TimelineScene, drawings: readonly string[]): Markup {
  const isDrawn = (name: string): boolean => drawings.some((svg) => svg.includes(`class="${name}"`));
  const swatch = (name: string, meaning: string): Markup =>
    html`<span><i class="swatch ${name}"></i> ${meaning}</span> `;
  const mark = (glyph: string, meaning: string): Markup => html`<span><b class="mark">${glyph}</b> ${meaning}</span> `;
  const believed = conflicting
    .slice(0, 2)
    .map((name, index) => [`band band-${index}`, `a server thinks ${name} holds`]);
  const swatches = [
    ["lease", "holds, lease in force"],
    ["overrun", "holds, lease over"],
    ["overlap", overlapSays ?? "violated", "violation"],
    ["attempt", "waits for an answer"],
    ["fault", "fault"],
    ...believed,
    ["band band-other", "a server thinks this client holds"],
  ] as const;
  const isTwice = drawings.some((svg) => svg.includes(' twice"'));
  return html`${swatches.map(([name = "", meaning = "", shown = name]) => isDrawn(name) && swatch(shown, meaning))}${
    isTwice && swatch("twice", `a server ${timeline.givesTwice}`)
  }${isDrawn("refusal fail") && mark("×", "not granted")}${isDrawn("refusal info") && mark("?", "never answered")}${
    isDrawn("write") && swatch("write", "write accepted")
  }${isDrawn("write-refused") && swatch("write-refused", "write refused")}${
    isDrawn("cut") && swatch("torn", "time left out")
  }`;
}

/** The moments of the first violation, stepped through beside its picture; nothing where there is none. */
export function firstMoments(context: StoryContext): Markup {
  const [story] = context.stories;
  return story === undefined ? html`` : stepper(story, context.timeline);
}

/** Buttons, the moment in words, and the list of all moments with what everybody believes then. */
function stepper(story: Story, timeline: Timeline): Markup {
  const { moments, leftOut } = momentsFor(story, timeline);
  return html`<div class="stepper" role="group" aria-label="Step through what happened">
      <button type="button" class="previous-moment">‹ Previous <span class="unseen">moment</span></button>
      <button type="button" class="next-moment">Next <span class="unseen">moment</span> ›</button>
      <p class="moment-now" role="status">
        <span class="soft">${count(moments.length, "moment")}; step with ← and →</span>
      </p>
    </div>
    <ol class="moments" aria-label="What happened">
      ${moments.map((moment, index) => momentItem(moment, index, story, timeline))}
    </ol>
    ${leftOut > 0 && html`<p class="soft">and ${count(leftOut, "further event")} in the timeline below</p>`}`;
}

function momentItem({ time, index: event, text }: Moment, index: number, story: Story, timeline: Timeline): Markup {
  const beliefs = beliefsAt(story.lanes, time, aboutKeys(story, timeline));
  return html`<li data-moment="${index}">
    <button type="button" class="link show-moment">
      <span class="unseen">Moment ${index + 1}:</span> <span class="at">${inFigures(time / 1e6, 3)} ms</span>
    </button>
    <span class="what">${text}</span>
    ${event !== undefined && html`<button type="button" class="link show-event" data-event="${event}">#${event}</button>`}
    <dl class="beliefs" aria-label="What each believes at this instant">
      ${beliefs.map(
        ({ lane, says, holds }) =>
          html`<div ${holds ? new Markup('class="holds"') : ""}>
            <dt>${lane}</dt>
            <dd>${says}</dd>
          </div>`,
      )}
    </dl>
  </li>`;
}

/** The violations by what led to them, those of the lock first, with the explanations and the diagrams of messages. */
export function causesSection(context: StoryContext): Markup {
  const causes = rootCausesOf(context.stories);
  let left = MOST_TOLD;
  return html`${causes.map((cause) => {
    const shown = cause.stories.slice(0, left);
    left -= shown.length;
    return causeCard(cause, shown, context);
  })}`;
}

function causeCard({ cause, stories, enabledBy }: RootCause, shown: readonly Story[], context: StoryContext): Markup {
  const place = (story: Story): number => context.stories.indexOf(story);
  const rest = stories.slice(shown.length);
  const [first] = shown;
  return html`<article class="card violation">
    <h3>
      <span class="badge invalid">${cause}</span>
      ${capital(first === undefined ? CAUSE_MEANING[cause] : causeWords(first))}${
        stories.length > 1 && html` <span class="soft">${stories.length} times</span>`
      }${enabledBy !== undefined && html` <span class="soft">enabled by ${enabledBy}</span>`}
    </h3>
    ${first !== undefined && storyBody(first, place(first), context)}
    ${shown.slice(1).map(
      (story) =>
        html`<details class="further">
          <summary>${storySentence(story)} <span class="soft">${listed(story.properties)}</span></summary>
          ${storyBody(story, place(story), context)}
        </details>`,
    )}
    ${
      rest.length > 0 &&
      html`<details class="further">
        <summary>${count(rest.length, "further violation")}</summary>
        <ul>
          ${rest.map(
            (story) =>
              html`<li>
                <button type="button" class="link show-violation" data-violation="${place(story)}">
                  at ${formatMs(story.at)}
                </button>
                ${causeWords(story)} (${listed(story.properties)})
              </li>`,
          )}
        </ul>
      </details>`
    }
  </article>`;
}

/** A story in full. The first of the page has its picture and its moments at the top already. */
function storyBody(story: Story, place: number, { run, timeline, id }: StoryContext): Markup {
  const picture = place === 0 ? "" : pictures(sceneOf(story, momentsFor(story, timeline).moments, timeline));
  return html`<div ${place === 0 ? "" : new Markup(`class="story" data-story="${place}"`)}>
    <p class="broken">breaks ${listed(story.properties)}</p>
    ${picture}${place > 0 && stepper(story, timeline)} ${explanations(story)}
    <p>
      <button type="button" class="primary show-violation" data-violation="${place}">Show in the timeline</button>
    </p>
    <details class="diagram">
      <summary>Messages and time</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Space-time diagram">
        ${alone(drawStory(run, story, timeline, false), `${id}-${place}`)}
      </div>
    </details>
  </div>`;
}

/** What several properties say of one violation differs in words only: the first says it, the others unfold. */
function explanations({ explanations: [first = "", ...others] }: Story): Markup {
  const paragraph = (text: string): Markup => html`<p class="explanation">${unbroken(text)}</p>`;
  return html`${paragraph(first)}${
    others.length > 0 &&
    html`<details class="others">
      <summary>The same in the words of ${count(others.length, "further property", "further properties")}</summary>
      ${others.map(paragraph)}
    </details>`
  }`;
}

/** Several diagrams share a page: definitions and styles of one must not affect another. */
function alone(svg: string, name: string): Markup {
  const named = svg.replaceAll(/(id="|url\(#)(ls-[a-z-]+)/g, `$1$2-${name}`);
  return new Markup(named.replaceAll("lockstorm-diagram", `lockstorm-diagram-${name}`));
}
