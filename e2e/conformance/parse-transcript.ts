import { isJsonObject, parseJson } from './json-object.ts';
import type { JsonObject } from './json-object.ts';

export type TranscriptFrame = {
  event: string | undefined;
  /** Values of the frame's `data` lines, joined by line feeds. */
  data: string;
  /** The data as parsed JSON; undefined unless it is an object. */
  value: JsonObject | undefined;
};

/** The frames of a stream, and the violations that `parseTranscript` finds. */
export type Transcript = { frames: TranscriptFrame[]; violations: string[] };

const KNOWN_FIELDS = new Set(['data', 'event', 'id', 'retry']);

/**
 * Parses server-sent events more strictly than the WHATWG rules: every frame must end in a blank
 * line, and every line must be a comment or a known field. Lines end in LF or CRLF. A block with
 * neither `event` nor `data` is not a frame. Does not use the product's parser, so that the two
 * cannot share a defect.
 */
export const parseTranscript = (text: string): Transcript => {
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  const violations =
    rest.trim() === '' ? [] : [`the stream ends inside a frame: ${JSON.stringify(rest)}`];
  const parsedBlocks = blocks.map(parseFrame);
  return {
    frames: parsedBlocks.flatMap(({ frame }) => frame ?? []),
    violations: [...parsedBlocks.flatMap((one) => one.violations), ...violations],
  };
};

const parseFrame = (block: string): { frame?: TranscriptFrame; violations: string[] } => {
  const fields = block
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map(parseLine);
  const unknownFields = fields.filter(([name]) => !KNOWN_FIELDS.has(name));
  const violations = unknownFields.map(([name]) => `a frame has the field ${JSON.stringify(name)}`);
  const valuesOf = (name: string): string[] =>
    fields.flatMap(([one, value]) => (one === name ? [value] : []));
  const event = valuesOf('event').at(-1);
  const lines = valuesOf('data');
  if (event === undefined && lines.length === 0) return { violations };
  const data = lines.join('\n');
  const value = parseJson(data);
  return { frame: { event, data, value: isJsonObject(value) ? value : undefined }, violations };
};

const parseLine = (line: string): [name: string, value: string] => {
  const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  return [name, value];
};
