import { answerWith, createGate, failWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/** Members of an agent's answer to the prompt of a debate or a panel. */
export type AgentAnswer = { stances: Readonly<Record<string, number>>; [member: string]: unknown };
/**
 * Output of a model in one call: an answer, text that is not JSON, incomplete text, an error
 * status, or no response.
 */
export type ScriptedOutput =
  | AgentAnswer
  | string
  | IncompleteText
  | { status: number }
  | typeof NO_RESPONSE;

/** Text that the provider reports as truncated or filtered. */
export type IncompleteText = { text: string; finishReason: 'length' | 'content_filter' };

/** Marks a call to which the model never responds. */
export const NO_RESPONSE = Symbol('no response');

export type CouncilCall = {
  kind: 'frame' | 'agent' | 'synthesis';
  name: string;
  /** Number of this call among the calls of the same kind and agent, starting at 1. */
  number: number;
  prompt: string;
  startedAt: number;
  endedAt: number;
};

export type CouncilScript = {
  issues: readonly { id: string; proposition: string; weight: number }[];
  /** Returns the output of the agent's `number`th call, counted from 1. */
  answerOf: (name: string, number: number) => ScriptedOutput;
  /** Returns the text of the synthesis; by default a text that names every issue and dissenter. */
  synthesis?: (prompt: string) => string;
  delayMs?: number;
  /** Delays the second half of an agent's answer, or all of it if the call is not streamed. */
  until?: (name: string, number: number) => Promise<unknown>;
};

/**
 * Returns a script that answers all model calls of a council, and `calls`, in which the script
 * records them.
 */
export const createScriptedCouncil = (getScript: () => CouncilScript) => {
  const calls: CouncilCall[] = [];
  const script: Script = async (exchange) => {
    const { messages = [] } = (exchange.request.parsed ?? {}) as { messages?: Message[] };
    const prompt = messages.map(textOf).join('\n\n');
    const kind = kindOf(prompt);
    const name = kind === 'agent' ? (/You are (\w+), an adviser/.exec(prompt)?.[1] ?? '') : '';
    const number = calls.filter((call) => call.kind === kind && call.name === name).length + 1;
    const call = { kind, name, number, prompt, startedAt: performance.now(), endedAt: 0 };
    calls.push(call);
    const { issues, answerOf, synthesis = writeSynthesis, delayMs = 0, until } = getScript();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    call.endedAt = performance.now();
    if (kind === 'frame') return await answerJson(exchange, { issues });
    if (kind === 'synthesis') return await answerJson(exchange, { content: synthesis(prompt) });
    return await sendOutput(exchange, name, answerOf(name, number), until?.(name, number));
  };
  return { script, calls };
};

type Message = { content: string | { text: string }[] };

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');

const kindOf = (prompt: string): CouncilCall['kind'] => {
  if (prompt.includes('Frame the question as yes/no propositions.')) return 'frame';
  return prompt.includes('Write the synthesis of this debate') ? 'synthesis' : 'agent';
};

const sendOutput = async (
  exchange: Parameters<Script>[0],
  name: string,
  output: ScriptedOutput,
  until?: Promise<unknown>,
): Promise<void> => {
  if (output === NO_RESPONSE) {
    return await new Promise((resolve) =>
      exchange.closeSignal.addEventListener('abort', () => resolve()),
    );
  }
  if (typeof output === 'string') return await answerWith({ content: output })(exchange);
  if ('text' in output) {
    const { text: content, finishReason } = output as IncompleteText;
    return await answerWith({ content, finishReason })(exchange);
  }
  if ('status' in output) return await failWith(Number(output.status))(exchange);
  const { stances, ...members } = output;
  const answer = {
    content: `This is the content of ${name}.`,
    position: `This is the position of ${name}.`,
    stances: Object.entries(stances).map(([issue, stance]) => ({ issue, stance, confidence: 0.9 })),
    keyPoints: [{ id: 'p1', text: `This is the point of ${name}.` }],
    changedMind: false,
    changeReason: '',
    wouldChangeMind: `This would move ${name}.`,
    ...members,
  };
  return await (until ? answerInHalves(exchange, answer, until) : answerJson(exchange, answer));
};

const answerInHalves = async (
  exchange: Parameters<Script>[0],
  answer: object,
  until: Promise<unknown>,
): Promise<void> => {
  const text = JSON.stringify(answer);
  const { stream } = (exchange.request.parsed ?? {}) as { stream?: unknown };
  if (stream !== true) return await answerWith({ content: text }, { after: until })(exchange);
  const gate = createGate();
  gate.release(FRAMES_TO_HALF);
  void until.then(() => gate.open());
  const middle = Math.floor(text.length / 2);
  const content = [text.slice(0, middle), text.slice(middle)];
  await answerWith({ content }, { gate })(exchange);
};

/** The frame with the role, and the one with the first half. */
const FRAMES_TO_HALF = 2;

const writeSynthesis = (prompt: string): string =>
  `The council has weighed it. ${nameDissent(prompt)}`;

/**
 * Returns sentences that name each proposition of the prompt's table by its mark, with the letters
 * of its dissenters.
 */
export const nameDissent = (prompt: string): string =>
  [...prompt.matchAll(/^\[(i\d+)\] verdict: /gm)]
    .map(([, issue]) => {
      const dissenters = new RegExp(`^\\[${issue}\\] dissent: (.*)$`, 'm').exec(prompt)?.[1];
      return dissenters
        ? `Dissent on [${issue}]: ${dissenters}.`
        : `There is no more to say of [${issue}].`;
    })
    .join(' ');

const answerJson = (exchange: Parameters<Script>[0], answer: object): Promise<void> =>
  answerWith({ content: JSON.stringify(answer) })(exchange);
