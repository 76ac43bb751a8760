import { answerWith, failWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/**
 * A persona of the council that `answerAsCouncil` plays: where it stands, and that it stays. It is
 * called what it is, because names of people are masked on their way to a provider.
 */
export const standing = (name: string, stance: number) => ({
  name,
  systemPrompt: `You are ${name} of the council. Your stance is ${stance}.`,
  model: 'gpt-test',
});

/** A persona that no model ever answers for. */
export const silent = (name: string) => ({
  name,
  systemPrompt: `You are ${name} of the council. You fail.`,
  model: 'gpt-test',
});

/** The one proposition of every debate. */
export const PROPOSITION = 'The company should hire now.';

type Asked = { messages?: { role: string; content: unknown }[] };

/**
 * Plays the models of a council: one proposition, agents who stand where their persona says, and
 * never move, and a synthesis in one sentence. `until` holds back what agents say.
 */
export const answerAsCouncil =
  (until: () => Promise<unknown> = async () => {}): Script =>
  async (exchange) => {
    const { messages = [] } = (exchange.request.parsed ?? {}) as Asked;
    const text = JSON.stringify(messages);
    if (text.includes('Frame the question as yes/no propositions.')) {
      const issues = [{ id: 'i1', proposition: PROPOSITION, weight: 1 }];
      return await say(exchange, { issues });
    }
    if (text.includes('Write the synthesis of this debate')) {
      return await say(exchange, { content: 'The council has spoken.', openQuestions: [] });
    }
    await until();
    if (text.includes('You fail.')) return await failWith(500)(exchange);
    const name = /You are (\w+) of the council/.exec(text)?.[1];
    const stance = Number(/Your stance is (-?[\d.]+)\./.exec(text)?.[1]);
    if (name === undefined) return await answerWith()(exchange);
    return await say(exchange, {
      content: `${name} holds to what ${name} said.`,
      position: `${name} holds on.`,
      stances: [{ issue: 'i1', stance, confidence: 0.9 }],
      keyPoints: [{ id: 'p1', text: `The point of ${name}.` }],
      changedMind: false,
      changeReason: null,
      wouldChangeMind: 'A signed contract.',
    });
  };

const say = (exchange: Parameters<Script>[0], answer: object): Promise<void> =>
  answerWith({ content: JSON.stringify(answer) })(exchange);
