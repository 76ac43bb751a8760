import { answerWith, failWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { nameDissent } from './scripted-council.ts';

/**
 * Returns a persona with a fixed stance, which `answerAsCouncil` reads from the prompt. `name` must
 * not look like a person's name, which would be masked before egress.
 */
export const personaWithStance = (name: string, stance: number) => ({
  name,
  systemPrompt: `You are ${name} of the council. Your stance is ${stance}.`,
  model: 'gpt-test',
});

/** Returns a persona for which `answerAsCouncil` fails every call with status 500. */
export const failingPersona = (name: string) => ({
  name,
  systemPrompt: `You are ${name} of the council. You fail.`,
  model: 'gpt-test',
});

export const PROPOSITION = 'The company should hire now.';

type ChatBody = { messages?: { role: string; content: unknown }[] };

/**
 * Returns a script that plays the models of a council: one proposition, for each agent the fixed
 * stance of its persona (or a failure, see `failingPersona`), and a synthesis of one sentence.
 * Agents answer only after `until` resolves.
 */
export const answerAsCouncil =
  (until: () => Promise<unknown> = async () => {}): Script =>
  async (exchange) => {
    const { messages = [] } = (exchange.request.parsed ?? {}) as ChatBody;
    const text = JSON.stringify(messages).replaceAll(String.raw`\n`, '\n');
    if (text.includes('Frame the question as yes/no propositions.')) {
      const issues = [{ id: 'i1', proposition: PROPOSITION, weight: 1 }];
      return await answerJson(exchange, { issues });
    }
    if (text.includes('Write the synthesis of this debate')) {
      return await answerJson(exchange, { content: nameDissent(text), openQuestions: [] });
    }
    await until();
    if (text.includes('You fail.')) return await failWith(500)(exchange);
    const name = /You are (\w+) of the council/.exec(text)?.[1];
    const stance = Number(/Your stance is (-?[\d.]+)\./.exec(text)?.[1]);
    if (name === undefined) return await answerWith()(exchange);
    return await answerJson(exchange, {
      content: `${name} holds to what ${name} said.`,
      position: `${name} holds on.`,
      stances: [{ issue: 'i1', stance, confidence: 0.9 }],
      keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
      changedMind: false,
      changeReason: null,
      wouldChangeMind: 'A signed contract.',
    });
  };

const answerJson = (exchange: Parameters<Script>[0], answer: object): Promise<void> =>
  answerWith({ content: JSON.stringify(answer) })(exchange);
