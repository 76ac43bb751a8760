import { createHash } from 'node:crypto';
import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/** One model call of a debate. Only an agent's call has `round` and `name`. */
export type PlayedCall = {
  /** The number that the debate's question contains. */
  debate: number;
  kind: 'frame' | 'agent' | 'synthesis';
  round: number;
  name: string;
  /** Identifies a call that the debate makes exactly once: `frame`, `2 Growth`, `synthesis`. */
  key: string;
  /** Lower-case hex SHA-256 of the exact body. */
  sha256: string;
  receivedAt: number;
};

export type Pace = (call: PlayedCall) => Promise<unknown>;

/** The agents' names, sorted as their answers are in ordered runs. */
export const NAMES = ['Craft', 'Doubt', 'Growth'] as const;

/** Returns a persona. The name is not a person's name, which would be masked. */
export const toPersona = (name: string) => ({
  name,
  systemPrompt: `You speak for ${name}.`,
  model: 'gpt-5',
});

export const toQuestion = (debate: number): string =>
  `Question ${debate}: shall we open a second shop?`;

/**
 * Returns a script that plays a council. Its output depends only on name and round, so that a
 * disturbed debate can be compared with an undisturbed one: Growth moves in the second round, Doubt
 * never, the third round changes nothing.
 */
export const playCouncil = () => {
  const calls: PlayedCall[] = [];
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
    const { gone } = exchange;
    const left = new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }));
    await Promise.race([pace(call), left]);
    if (gone.aborted) return;
    const answer = call.kind === 'synthesis' ? writeProse(prompt) : toAnswer(call);
    await answerWith({ content: JSON.stringify(answer), usage: USAGE })(exchange);
  };
  return {
    script,
    /** The complete calls in their order of arrival. */
    calls: calls as readonly PlayedCall[],
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

const readCall = (prompt: string): Omit<PlayedCall, 'sha256' | 'receivedAt'> => {
  const debate = Number(/Question (\d+):/.exec(prompt)?.[1]);
  const of = (kind: PlayedCall['kind']) => ({ debate, kind, round: 0, name: '', key: kind });
  if (prompt.includes('Frame the question as yes/no propositions.')) return of('frame');
  if (prompt.includes('Write the synthesis of this debate')) return of('synthesis');
  const name = /You speak for (\w+)\./.exec(prompt)?.[1] ?? '';
  // The agent's own last answer contains the round.
  const own = prompt.split('--- OTHERS ---')[0]!;
  const last = new RegExp(`Position of ${name} in round (\\d)`).exec(own)?.[1];
  const round = Number(last ?? 0) + 1;
  return { debate, kind: 'agent', round, name, key: `${round} ${name}` };
};

const ISSUES = [
  { id: 'x', proposition: 'The company should open a second shop.', weight: 2 },
  { id: 'y', proposition: 'The company can pay for a second shop.', weight: 1 },
];

/** Writes the prose of a synthesis, which names every dissenter of the table by its letter. */
const writeProse = (prompt: string): object => {
  const letters = [...prompt.matchAll(/^\[i\d+\] dissent: (.*)$/gm)].flatMap(([, list]) =>
    [...list!.matchAll(/[A-Z]+/g)].map(([letter]) => `[${letter}]`),
  );
  const dissenters = [...new Set(letters)].join(', ') || 'none';
  return { content: `The council has weighed it. Dissent: ${dissenters}.` };
};

const toAnswer = (call: Pick<PlayedCall, 'kind' | 'round' | 'name'>): object => {
  if (call.kind === 'frame') return { issues: ISSUES };
  const { name, round } = call;
  const hasMoved = name === 'Growth' && round > 1;
  const stance = name === 'Craft' ? 1 : name === 'Doubt' ? -1 : hasMoved ? 0.5 : -0.5;
  return {
    content: `What ${name} says in round ${round}.`,
    position: `Position of ${name} in round ${round}.`,
    stances: [
      { issue: 'i1', stance, confidence: 0.9 },
      { issue: 'i2', stance: 0.5, confidence: 0.6 },
    ],
    keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
    changedMind: hasMoved && round === 2,
    changeReason: hasMoved && round === 2 ? 'The rent was agreed yesterday.' : null,
    wouldChangeMind: `This would move ${name}.`,
  };
};
