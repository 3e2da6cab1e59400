import { type Answer, isGranted, isUnheard, replyWords, type Trial } from "./trial.ts";

/** A library whose own deadlines are short may exceed them now and then, and so it may when a connection is made. */
const TRIES = 4;
const BETWEEN_TRIES_MS = 500;

/**
 * A free lock has to be granted. One that is not because nothing was heard of it in time is asked for again: whoever never gets
 * an answer in time is mistaken, but for a busy machine.
 * @param ask asks for a lock that is free, another one each time: the one before may have been granted unheard
 * @param asked what was asked, up to the answer
 */
export async function grantedInTime(
  trial: Trial,
  ask: (turn: number) => Promise<Answer>,
  asked: string,
): Promise<void> {
  const answers: Answer[] = [];
  for (let turn = 0; turn < TRIES; turn += 1) {
    if (turn > 0) await trial.sleep(BETWEEN_TRIES_MS);
    const answer = await ask(turn);
    if (isGranted(answer.reply)) return;
    answers.push(answer);
    if (!isUnheard(answer.reply)) break;
  }
  const [first] = answers;
  if (first !== undefined) trial.mistakeInTime(answers, `${asked} ${replyWords(first.reply)}`);
}
