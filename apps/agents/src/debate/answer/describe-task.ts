import type { Answer, Issue } from '../debate.ts';
import type { Lever } from '../debate.ts';
import { toOneLine } from '../../prompt/to-one-line.ts';
import { KEY_POINTS_MAX, SCHEMA_LENGTHS } from './read-answer.ts';
import type { AnswerForm } from './read-answer.ts';
import { STANCE_WORDS, wordOf } from './stance-words.ts';

export type DebateTask = AnswerForm & { agentCount: number };

/**
 * Returns the task as part of an agent's instructions. It does not depend on the round, so that the
 * provider's prompt cache can apply from the second round on. The propositions are only here, not
 * in the schema, which most runtimes do not show to the model.
 */
export const describeTask = ({ issues, levers, agentCount }: DebateTask): string =>
  [
    'Take your stance on the propositions of this debate. ' +
      `You sit on a council of ${agentCount}. Each member answers on its own, from its own ` +
      'character and knowledge; the answers are then weighed against each other, and dissent is ' +
      'kept. Do not guess what others will say. Your text and your stances must say the same.',
    `A stance is ${STANCE_WORDS.map((word) => JSON.stringify(word)).join(', ')}. Its confidence, ` +
      'from 0 to 1, is how sure you are. The propositions:',
    ...issues.map(toIssueLine),
    ...(levers.length === 0 ? [] : [LEVERS]),
    ...levers.map(toLeverLine),
  ].join('\n');

/** States the present value, which the prompt has too, and no bounds, which weak models copy. */
const toLeverEntry = ({ name, defaultValue }: Lever): [string, object] => [
  name,
  { type: 'number', default: defaultValue },
];

/** Names no bounds, because weak models copy every figure of a prompt. */
const LEVERS =
  'Decide on each lever, with a number that means what its line says; a lever that you leave out ' +
  'stays as it is now, and a number beyond what is possible is limited. The levers:';

const toLeverLine = ({ name, description, defaultValue }: Lever): string =>
  `- ${name} (now ${defaultValue}): ${toOneLine(description).trim()}`;

/** Returns the JSON Schema of an agent's answer. Its first member is shown while it streams. */
export const describeAnswerShape = ({ issues, levers }: AnswerForm): string =>
  JSON.stringify({
    ...toObjectSchema({
      content: {
        type: 'string',
        maxLength: SCHEMA_LENGTHS.content,
        description: 'your answer to the person, as you would say it',
      },
      conclusion: {
        type: 'string',
        maxLength: SCHEMA_LENGTHS.sentence,
        description: 'your conclusion, in one sentence',
      },
      stances: toObjectSchema(
        Object.fromEntries(issues.map(({ id }) => [id, { $ref: '#/$defs/stance' }])),
      ),
      keyPoints: {
        type: 'array',
        minItems: 1,
        maxItems: KEY_POINTS_MAX,
        items: toPointSchema(issues),
        description: 'one sentence each, the strongest first',
      },
      changeReason: {
        type: 'string',
        maxLength: SCHEMA_LENGTHS.sentence,
        description: 'the new fact or the error that changed a stance, else empty',
      },
      wouldChangeMind: {
        type: 'string',
        maxLength: SCHEMA_LENGTHS.sentence,
        description: 'what you would have to be shown to change your mind',
      },
      ...(levers.length === 0
        ? {}
        : // Not required: a model that must name every lever writes 0 for those it does not move.
          {
            levers: {
              type: 'object',
              properties: Object.fromEntries(levers.map(toLeverEntry)),
              description: 'only levers that change, each with its new number',
            },
          }),
    }),
    // Shared by all propositions. It has no default, because weak models copy defaults.
    $defs: {
      stance: {
        ...toObjectSchema({
          stance: { type: 'string', enum: STANCE_WORDS },
          confidence: { type: 'number', minimum: 0, maximum: 1 },
        }),
        additionalProperties: false,
      },
    },
  });

const toObjectSchema = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** With several propositions, each point names the one that it is about. */
const toPointSchema = (issues: readonly Issue[]): object => {
  const text = { type: 'string', maxLength: SCHEMA_LENGTHS.point };
  if (issues.length === 1) return text;
  const issue = { type: 'string', enum: issues.map(({ id }) => id) };
  return toObjectSchema({ issue, point: text });
};

export const describeOwnAnswer = ({ position, stances, keyPoints, levers }: Answer): string =>
  JSON.stringify({
    conclusion: position,
    stances: Object.fromEntries(
      stances.map(({ issueId, stance, confidence }) => [
        issueId,
        { stance: wordOf(stance), confidence },
      ]),
    ),
    keyPoints: keyPoints.map(({ text }) => text),
    ...(Object.keys(levers).length === 0 ? {} : { levers }),
  });

export const toIssueLine = ({ id, proposition }: Issue): string =>
  `[${id}] ${toOneLine(proposition)}`;
