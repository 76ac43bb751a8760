import type { Answer, Issue } from '../debate.ts';
import type { Lever } from '../debate.ts';
import { toOneLine } from '../../prompt/to-one-line.ts';
import { DEFAULT_CONFIDENCE, KEY_POINTS_MAX, POSITION_WORDS_MAX } from './read-answer.ts';

export type DebateTask = {
  issues: readonly Issue[];
  levers: readonly Lever[];
  agentCount: number;
};

/**
 * Returns the task as part of an agent's instructions. It does not depend on the round, so that the
 * provider's prompt cache can apply from the second round on.
 */
export const describeTask = ({ issues, levers, agentCount }: DebateTask): string =>
  [
    'Take your stance on the propositions of this debate. ' +
      `You sit on a council of ${agentCount}. Each member answers the person's ` +
      'question on its own, from its own character and knowledge; the answers are weighed ' +
      'against each other afterwards, and dissent is kept. Do not guess what others will say.',
    'Say where you stand on each of these propositions, from -1 (clearly against) over -0.5, 0 ' +
      '(undecided) and 0.5 to 1 (clearly for), and how sure you are, from 0 to 1:',
    ...issues.map(toIssueLine),
    ...(levers.length === 0 ? [] : ['Decide on each lever of the shape, within its bounds.']),
  ].join('\n');

/** Returns the JSON Schema of an agent's answer. Its first member is shown while it streams. */
export const describeAnswerShape = ({ issues, levers }: DebateTask): string =>
  JSON.stringify(
    toObjectSchema({
      content: { type: 'string', description: 'your answer to the person, as you would say it' },
      position: {
        type: 'string',
        description: `what you hold, in at most ${POSITION_WORDS_MAX} words`,
      },
      stances: toObjectSchema(
        Object.fromEntries(issues.map(({ id, proposition }) => [id, toStanceSchema(proposition)])),
      ),
      keyPoints: {
        type: 'array',
        minItems: 1,
        maxItems: KEY_POINTS_MAX,
        items: { type: 'string' },
        description: 'one sentence each, the strongest first',
      },
      changedMind: {
        type: 'boolean',
        default: false,
        description: 'true only if you moved since your last answer',
      },
      changeReason: {
        type: ['string', 'null'],
        description: 'the new fact or the error that moved you, else null',
      },
      wouldChangeMind: {
        type: 'string',
        description: 'what would have to be shown for you to change your mind, in one sentence',
      },
      ...(levers.length === 0
        ? {}
        : // Not required: a model that must name every lever writes 0 for those it does not move.
          { levers: { type: 'object', properties: Object.fromEntries(levers.map(toLeverEntry)) } }),
    }),
  );

const toObjectSchema = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const toStanceSchema = (proposition: string): object => ({
  ...toObjectSchema({
    stance: { type: 'number', minimum: -1, maximum: 1, multipleOf: 0.5 },
    confidence: { type: 'number', minimum: 0, maximum: 1, default: DEFAULT_CONFIDENCE },
  }),
  description: toOneLine(proposition),
});

const toLeverEntry = ({ name, description, min, max, defaultValue }: Lever): [string, object] => [
  name,
  {
    type: 'number',
    minimum: min,
    maximum: max,
    default: defaultValue,
    description: toOneLine(description).trim(),
  },
];

export const describeOwnAnswer = ({ position, stances, keyPoints, levers }: Answer): string =>
  JSON.stringify({
    position,
    stances: Object.fromEntries(
      stances.map(({ issueId, stance, confidence }) => [issueId, { stance, confidence }]),
    ),
    keyPoints: keyPoints.map(({ text }) => text),
    ...(Object.keys(levers).length === 0 ? {} : { levers }),
  });

export const toIssueLine = ({ id, proposition }: Issue): string =>
  `[${id}] ${toOneLine(proposition)}`;
