import { createHash } from 'node:crypto';
import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/** One model call of a debate. `round` is 0 and `name` is empty unless `kind` is `agent`. */
export type ScriptedCall = {
  /** Number of the run, which the debate's question contains. */
  runNumber: number;
  kind: 'frame' | 'agent' | 'synthesis';
  round: number;
  name: string;
  /**
   * Identifies the call within its debate: `frame`, debate round and agent such as `2 Growth`, or
   * `synthesis`.
   */
  key: string;
  /** SHA-256 of the exact request body, in lower-case hex. */
  sha256: string;
  receivedAt: number;
};

/** Called for each model call; the scripted provider answers once the promise resolves. */
export type Pace = (call: ScriptedCall) => Promise<unknown>;

/** Names of the agents in alphabetical order, in which `createPaceByWrites` lets them answer. */
export const AGENT_NAMES = ['Craft', 'Doubt', 'Growth'] as const;

/** Returns a persona. `name` must not look like a person's name, which would be masked. */
export const toPersona = (name: string) => ({
  name,
  systemPrompt: `You speak for ${name}.`,
  model: 'gpt-5',
});

export const toQuestion = (runNumber: number): string =>
  `Question ${runNumber}: shall we open a second shop?`;

/**
 * Returns a script that answers as a council. Its output depends only on agent and debate round, so
 * that a debate with a fault can be compared to one without faults: Growth changes its stance in
 * the second round, and no other stance changes.
 */
export const createScriptedCouncil = () => {
  const calls: ScriptedCall[] = [];
  let pace: Pace = async () => {};
  const script: Script = async (exchange) => {
    const { parsed, body } = exchange.request;
    const prompt = promptOf(parsed);
    const call = {
      ...readCall(prompt),
      sha256: createHash('sha256').update(body).digest('hex'),
      receivedAt: Date.now(),
    };
    calls.push(call);
    const { closeSignal } = exchange;
    const disconnected = new Promise((resolve) =>
      closeSignal.addEventListener('abort', resolve, { once: true }),
    );
    await Promise.race([pace(call), disconnected]);
    if (closeSignal.aborted) return;
    const answer = call.kind === 'synthesis' ? writeSynthesis(prompt) : toAnswer(call);
    await answerWith({ content: JSON.stringify(answer), usage: USAGE })(exchange);
  };
  return {
    script,
    /** All received calls, in the order in which they arrived. */
    calls: calls as readonly ScriptedCall[],
    setPace: (next: Pace): void => {
      pace = next;
    },
  };
};

const USAGE = { prompt_tokens: 1_000, completion_tokens: 400, total_tokens: 1_400 };

type Message = { content: string | { text: string }[] };

export const promptOf = (parsed: unknown): string =>
  ((parsed as { messages?: Message[] } | undefined)?.messages ?? [])
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n'),
    )
    .join('\n\n');

const readCall = (prompt: string): Omit<ScriptedCall, 'sha256' | 'receivedAt'> => {
  const runNumber = Number(/Question (\d+):/.exec(prompt)?.[1]);
  const of = (kind: ScriptedCall['kind']) => ({ runNumber, kind, round: 0, name: '', key: kind });
  if (prompt.includes('Frame the question as yes/no propositions.')) return of('frame');
  if (prompt.includes('Write the synthesis of this debate')) return of('synthesis');
  const name = /You speak for (\w+)\./.exec(prompt)?.[1] ?? '';
  // The agent's own answer of the previous round contains the number of that round.
  const own = prompt.split('--- OTHERS ---')[0]!;
  const last = new RegExp(`Position of ${name} in round (\\d)`).exec(own)?.[1];
  const round = Number(last ?? 0) + 1;
  return { runNumber, kind: 'agent', round, name, key: `${round} ${name}` };
};

const ISSUES = [
  { id: 'x', proposition: 'The company should open a second shop.', weight: 2 },
  { id: 'y', proposition: 'The company can pay for a second shop.', weight: 1 },
];

/**
 * Returns the text of a synthesis that names every dissenter of the prompt's table by its letter.
 */
const writeSynthesis = (prompt: string): object => {
  const letters = [...prompt.matchAll(/^\[i\d+\] dissent: (.*)$/gm)].flatMap(([, list]) =>
    [...list!.matchAll(/[A-Z]+/g)].map(([letter]) => `[${letter}]`),
  );
  const dissenters = [...new Set(letters)].join(', ') || 'none';
  return { content: `The council has weighed it. Dissent: ${dissenters}.` };
};

const toAnswer = (call: Pick<ScriptedCall, 'kind' | 'round' | 'name'>): object => {
  if (call.kind === 'frame') return { issues: ISSUES };
  const { name, round } = call;
  const hasChangedMind = name === 'Growth' && round > 1;
  const stance = name === 'Craft' ? 1 : name === 'Doubt' ? -1 : hasChangedMind ? 0.5 : -0.5;
  return {
    content: `What ${name} says in round ${round}.`,
    position: `Position of ${name} in round ${round}.`,
    stances: [
      { issue: 'i1', stance, confidence: 0.9 },
      { issue: 'i2', stance: 0.5, confidence: 0.6 },
    ],
    keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
    changedMind: hasChangedMind && round === 2,
    changeReason: hasChangedMind && round === 2 ? 'The rent was agreed yesterday.' : null,
    wouldChangeMind: `This would move ${name}.`,
  };
};
