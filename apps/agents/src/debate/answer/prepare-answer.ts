import { createMemoryChoice } from '../../memory/recall/create-memory-choice.ts';
import { estimateTurn } from '../../prompt/to-exchanges.ts';
import type { Exchange } from '../../prompt/to-exchanges.ts';
import { preparePrompt } from '../../turn/prepare-prompt.ts';
import type { PreparedPrompt } from '../../turn/prepare-prompt.ts';
import type { Turn } from '@witan/contracts';
import { toTextTurn } from '@witan/dialects';
import type { EarlierDebate } from '../conversation/conversation.ts';
import type { CouncilMember } from './council-member.ts';
import { describeAnswerShape, describeTask } from './describe-task.ts';
import type { DebateTask } from './describe-task.ts';

export type AnswerSource = {
  member: CouncilMember;
  task: DebateTask;
  question: string;
  briefing: string;
  earlier: readonly EarlierDebate[];
  others: string;
  now: Date;
  contextTokens: number;
  ratio: number;
  isStreamed: boolean;
};

const TEMPERATURE = 0.8;
export const OUTPUT_TOKENS_MAX = 1_500;

/**
 * Builds the prompt for an agent's answer. Answers of the previous round come last, so that the
 * prompts of all rounds begin alike and the provider's prompt cache can apply.
 */
export const prepareAnswer = (source: AnswerSource): PreparedPrompt => {
  const { member, task, question, briefing, earlier, others } = source;
  const { agent, memories, passages } = member;
  const options = {
    reflection: false,
    json: { fields: {}, schema: describeAnswerShape(task) },
    temperature: TEMPERATURE,
    maxOutputTokens: OUTPUT_TOKENS_MAX,
  };
  const prepared = preparePrompt({
    agent,
    options,
    contextTokens: source.contextTokens,
    ratio: source.ratio,
    current: toExchange([
      toTextTurn('user', question),
      ...(others === '' ? [] : [toTextTurn('user', others)]),
    ]),
    history: earlier.map(({ question: earlierQuestion, synthesis }) =>
      toExchange([toTextTurn('user', earlierQuestion), toTextTurn('assistant', synthesis)]),
    ),
    isForeign: true,
    context: briefing === '' ? [] : [{ category: 'Briefing', data: briefing, priority: 'high' }],
    chooseMemories: createMemoryChoice(memories, { sessionId: '', now: source.now, text: question })
      .choose,
    hint: describeTask(task),
    tools: [],
    passages,
  });
  return { ...prepared, prompt: { ...prepared.prompt, isStreamed: source.isStreamed } };
};

const toExchange = (turns: readonly Turn[]): Exchange<Turn> => ({
  turns,
  tokens: turns.reduce((sum, turn) => sum + estimateTurn(turn), 0),
});
