import type { Conversation, Part, Turn } from '@witan/contracts';
import type { RoutingSignals } from '../dialect.ts';

export const readConversationSignals = (conversation: Conversation): RoutingSignals => {
  const { system, turns, tools, responseFormat, sampling } = conversation;
  const systemText = system.map(({ text }) => text).join('\n');
  const userTexts = turns
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .filter((text) => text !== '');
  const parts = turns.flatMap((turn) => turn.parts);
  const declared = tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + name.length + description.length + parameters.length,
    0,
  );
  return {
    openingText: userTexts[0] ?? '',
    lastUserText: userTexts.at(-1) ?? '',
    systemText,
    promptLength: systemText.length + declared + sumLengths(parts),
    userTurns: userTexts.length,
    toolCount: tools.length,
    hasOpenToolCalls: turns.at(-1)?.parts.some(({ part }) => part.case === 'toolResult') ?? false,
    hasSignedReasoning: parts.some(
      ({ part }) =>
        part.case === 'reasoning' && Boolean(part.value.signature || part.value.redacted),
    ),
    wantsReasoning: !['', 'none', 'minimal'].includes(sampling?.reasoningEffort ?? ''),
    wantsJson: responseFormat !== undefined,
    mediaCount: countMedia(parts),
  };
};

const countMedia = (parts: readonly Part[]): number =>
  parts.reduce((sum, { part }) => {
    if (part.case === 'toolResult') return sum + countMedia(part.value.parts);
    return MEDIA.has(part.case) && textSourceOf(part) === undefined ? sum + 1 : sum;
  }, 0);

const MEDIA: ReadonlySet<Part['part']['case']> = new Set(['image', 'document', 'audio']);

/** Returns the content of a document in plain text. */
const textSourceOf = (part: Part['part']): string | undefined => {
  const source = part.case === 'document' ? part.value.media?.source : undefined;
  return source?.case === 'text' ? source.value : undefined;
};

const textOf = ({ parts }: Turn): string =>
  parts.map(({ part }) => (part.case === 'text' ? part.value.text : '')).join('');

const sumLengths = (parts: readonly Part[]): number =>
  parts.reduce((sum, { part }) => sum + lengthOf(part), 0);

/**
 * Returns the length of a part in UTF-16 units. Media that are not plain text count as 0,
 * because their size says nothing about their number of tokens.
 */
const lengthOf = (part: Part['part']): number => {
  switch (part.case) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.value.text.length;
    case 'toolCall':
      return part.value.name.length + part.value.arguments.length;
    case 'toolResult':
      return sumLengths(part.value.parts);
    default:
      return textSourceOf(part)?.length ?? 0;
  }
};
