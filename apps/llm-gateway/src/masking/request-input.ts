import type { Dialect, JsonObject, RequestSummary } from '@witan/dialects';
import type { Conversation, Part } from '@witan/contracts';
import type { CategoryCounts } from '@witan/privacy';
import type { Privacy, ReadingOptions } from './mask-body.ts';

export const inspectCall = (
  input: RequestInput,
  { inspect }: Pick<Privacy, 'inspect'>,
  options: ReadingOptions,
): Promise<CategoryCounts> =>
  input.form === 'wire'
    ? inspect(input.text, { ...options, dialect: input.dialect.name })
    : inspect(JSON.stringify(textsOf(input.conversation)), { ...options, dialect: undefined });

const textsOf = ({ system, turns, tools }: Conversation): string[] => [
  ...system.map(({ text }) => text),
  ...turns.flatMap(({ parts }) => parts.flatMap(textsOfPart)),
  ...tools.map(({ description }) => description),
];

/** Returns the texts of a part; reasoning is neither masked nor counted. */
const textsOfPart = ({ part }: Part): string[] => {
  switch (part.case) {
    case 'text':
    case 'refusal':
      return [part.value.text];
    case 'toolCall':
      return [part.value.arguments];
    case 'toolResult':
      return part.value.parts.flatMap(textsOfPart);
    case 'document': {
      const { name, media } = part.value;
      return [name, media?.source.case === 'text' ? media.source.value : ''];
    }
    default:
      return [];
  }
};

export type RequestInput =
  | {
      form: 'wire';
      dialect: Dialect;
      bytes: Uint8Array;
      text: string;
      body: JsonObject;
      summary: RequestSummary;
      headers: Readonly<Record<string, string>>;
      query: string;
    }
  | { form: 'neutral'; conversation: Conversation };
