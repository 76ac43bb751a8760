import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/** One model call of a run, as the scripted provider received it. */
export type ModelCall = {
  /** Number of the debate or simulation, which the prompt contains. */
  runNumber: number;
  /** Identifies the call within its run, such as `2 Growth`. */
  key: string;
  /** Name of the agent; empty for calls that no agent makes. */
  name: string;
  /** Round of the debate; 0 for calls that no agent makes. */
  round: number;
  /** Name of the scenario; empty outside simulations. */
  scenario: string;
  /** SHA-256 of the exact request body, in lower-case hex. */
  sha256: string;
};

/** Called for each model call; the provider answers once the promise resolves. */
export type Pace = (call: ModelCall) => Promise<unknown>;

/** How the provider recognises calls and answers them. */
export type ModelScript = {
  readCall: (prompt: string) => Omit<ModelCall, 'sha256'>;
  answer: (call: ModelCall, prompt: string) => object;
};

/**
 * A scripted provider that records its calls. Its answers depend on the calls only, so that runs
 * are comparable.
 */
export type ScriptedModel = {
  script: Script;
  /** All received calls, in the order in which they arrived. */
  calls: readonly ModelCall[];
  callsOf: (runNumber: number) => ModelCall[];
  setPace: (pace: Pace) => void;
};

/** Names of the agents in alphabetical order. */
export const AGENT_NAMES = ['Craft', 'Doubt', 'Growth'] as const;

/** Returns a persona. `name` must not look like a person's name, which would be masked. */
export const toPersona = (name: string) => ({
  name,
  systemPrompt: `You speak for ${name}.`,
  model: 'gpt-5',
});

const USAGE = { prompt_tokens: 1_000, completion_tokens: 400, total_tokens: 1_400 };

export const createScriptedModel = ({ readCall, answer }: ModelScript): ScriptedModel => {
  const calls: ModelCall[] = [];
  let pace: Pace = async () => {};
  return {
    calls,
    callsOf: (runNumber) => calls.filter((call) => call.runNumber === runNumber),
    setPace: (next) => {
      pace = next;
    },
    script: async (exchange) => {
      const { parsed, body } = exchange.request;
      const prompt = promptOf(parsed);
      const sha256 = createHash('sha256').update(body).digest('hex');
      const call = { ...readCall(prompt), sha256 };
      calls.push(call);
      const { closeSignal } = exchange;
      const disconnected = new Promise((resolve) =>
        closeSignal.addEventListener('abort', resolve, { once: true }),
      );
      await Promise.race([pace(call), disconnected]);
      if (closeSignal.aborted) return;
      const content = JSON.stringify(answer(call, prompt));
      await answerWith({ content, usage: USAGE })(exchange);
    },
  };
};

type Message = { content: string | { text: string }[] };

const promptOf = (parsed: unknown): string =>
  ((parsed as { messages?: Message[] } | undefined)?.messages ?? [])
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n'),
    )
    .join('\n\n');

/** Returns the agent's name and the debate round of a call that an agent makes. */
export const readAgentCall = (prompt: string): { name: string; round: number } => {
  const name = /You speak for (\w+)\./.exec(prompt)?.[1] ?? '';
  // The agent's own answer of the previous round contains the number of that round.
  const own = prompt.split('--- OTHERS ---')[0]!;
  const last = new RegExp(`Position of ${name} in round (\\d)`).exec(own)?.[1];
  return { name, round: Number(last ?? 0) + 1 };
};

/** Returns the members that the answers of all agents have. */
export const toAgentAnswer = ({ name, round }: Pick<ModelCall, 'name' | 'round'>) => ({
  content: `What ${name} says in round ${round}.`,
  position: `Position of ${name} in round ${round}.`,
  keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
  wouldChangeMind: `This would move ${name}.`,
});

const DELAY_MS = 250;

/**
 * Gives each agent a longer delay than the previous one, so that some model calls are in flight at
 * any time. Used where a strike may kill the database, because its writes cannot be observed then.
 */
export const paceByDelay: Pace = ({ name }) =>
  pause(DELAY_MS * (1 + AGENT_NAMES.findIndex((one) => one === name)));
