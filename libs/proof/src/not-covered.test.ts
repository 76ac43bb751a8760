import { describe, expect, it } from '@jest/globals';
import { FIXTURES, payloadOf, toBytes } from '../test/answer-fixtures.ts';
import type { Fixture, Frame } from '../test/answer-fixtures.ts';
import { reasonOf } from '../test/reason-of.ts';
import type { CertificatePayload } from './certificate.ts';
import { readSavedAnswer } from './saved-answer.ts';
import { createUses } from './uses.ts';
import { verifyResponse } from './verify-content.ts';

type Path = readonly (string | number)[];

/** Returns the paths of all leaves of a value, or of its objects. */
function pathsIn(value: unknown, wanted: 'leaves' | 'objects', path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return wanted === 'leaves' ? [path] : [];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    pathsIn(member, wanted, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  if (wanted === 'objects') return Array.isArray(value) ? inner : [path, ...inner];
  return inner.length === 0 ? [path] : inner;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], root);
}

function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const inner = withValue((root as Record<string, unknown>)[name], rest, value);
  if (Array.isArray(root)) return root.map((item: unknown, i) => (i === name ? inner : item));
  return { ...(root as object), [name]: inner };
}

/** Returns the fixture with another value of its part, a body or the value of a frame. */
function withPart(fixture: Fixture, part: number, value: unknown): Fixture {
  const { frames } = fixture;
  if (frames === undefined) return { ...fixture, body: value };
  return { ...fixture, frames: frames.map((one, i) => (i === part ? { ...one, value } : one)) };
}

const partsOf = ({ frames, body }: Fixture): unknown[] =>
  frames === undefined ? [body] : frames.map(({ value }) => value);

/** Values with which a leaf is replaced; among them every type of an event, item or part. */
const VALUES: unknown[] = [
  ...[null, '', 'x', '0', '{}', 0, 1, -1, 1.5, 2 ** 53, true, false, [], {}, ['x'], { x: 1 }],
  ...['stop', 'length', 'tool_calls', 'eos', 'end_turn', 'stop_sequence', 'completed', 'failed'],
  ...['text', 'tool_use', 'thinking', 'text_delta', 'input_json_delta', 'output_text', 'refusal'],
  ...['message', 'function_call', 'reasoning', 'assistant', 'user', 'response.compaction'],
  ...['message_start', 'message_delta', 'content_block_start', 'content_block_delta', 'error'],
  ...['response.created', 'response.completed', 'response.incomplete', 'response.failed'],
  ...['response.output_item.added', 'response.output_item.done', 'response.output_text.delta'],
  ...['response.output_text.done', 'response.refusal.delta', 'response.content_part.added'],
];

/** Members that are added to every object that has none of the name. */
const MEMBERS: Record<string, unknown> = {
  ...{ type: 'text', text: 'x', content: 'x', refusal: 'x', delta: 'x', message: { content: 'x' } },
  ...{ choices: [], output: [], data: [], output_text: 'x', jsonrpc: '2.0', isError: true },
  ...{ resultType: 'complete', result: { isError: true, content: [] }, error: { message: 'x' } },
  ...{ tool_calls: [{ index: 9, id: 'x' }], function_call: { name: 'x' }, name: 'x', index: 7 },
  ...{ model: 'x', usage: { total_tokens: 1 }, finish_reason: 'length', status: 'failed', x: null },
};

const toPattern = (path: Path): string =>
  path
    .map((name) => (typeof name === 'number' ? '[]' : `.${name}`))
    .join('')
    .replace(/^\./, '');

type Change = { part: number; path: Path };

/** Names of what several members say together. */
const GENERAL: Record<string, RegExp> = {
  'finish reason': /finish_reason$|stop_reason$|status$/,
  usage: /usage/,
  'version of the model': /model$/,
};

/**
 * Returns whether the change of a member is noticed: the verifier refuses the answer, or lists the
 * member among what is not covered, in the very part that was changed.
 */
function isNoticed(payload: CertificatePayload, fixture: Fixture, change: Change): boolean {
  const { part, path } = change;
  const bytes = toBytes(fixture);
  const all = listedBy(payload, bytes);
  if (all === undefined) return true;
  const pattern = toPattern(path);
  const value = partsOf(fixture)[part];
  const { type } = (value ?? {}) as { type?: unknown };
  const whole = [`event ${String(type)}`, `event ${fixture.frames?.[part]?.event ?? ''}`];
  return (
    all.some((name) => GENERAL[name]?.test(pattern)) ||
    listedIn(bytes, value).some(
      (name) =>
        [pattern, ...whole, 'frames without a JSON object'].includes(name) ||
        name.startsWith(`${pattern}.`) ||
        name.startsWith(`${pattern}[]`),
    )
  );
}

/** Returns what the verifier lists; undefined if it refuses the answer. */
function listedBy(payload: CertificatePayload, bytes: Uint8Array): string[] | undefined {
  let notCovered: string[] | undefined;
  reasonOf(() => ({ notCovered } = verifyResponse(payload, bytes)));
  return notCovered;
}

/** Returns what is listed for one part of an answer alone. */
function listedIn(bytes: Uint8Array, part: unknown): string[] {
  const uses = createUses();
  const text = JSON.stringify(part);
  let listed: string[] = [];
  readSavedAnswer(bytes, {
    ...uses,
    unused: (parts, hasUsage) => {
      listed = uses.unused(
        parts.filter((one) => JSON.stringify(one) === text),
        hasUsage,
      );
      return listed;
    },
  });
  return listed;
}

/** Values that say the same: no text is null as well as empty, and no input an empty object. */
const isSame = (a: unknown, b: unknown, name: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) ||
  ((a === null || a === '') && (b === null || b === '')) ||
  (name === 'partial_json' && a === '' && b === '{}');

describe.each(FIXTURES.map((fixture) => [fixture.kind, fixture.name, fixture] as const))(
  'an answer of %s: %s',
  (_kind, _name, fixture) => {
    const parts = partsOf(fixture);
    const payload = payloadOf(fixture);

    it('is valid as it is', () => {
      expect(reasonOf(() => verifyResponse(payload, toBytes(fixture)))).toBeUndefined();
    });

    it('is refused, or the member is listed, when any leaf is changed', () => {
      const silent: unknown[] = [];
      let changes = 0;
      for (const [part, root] of parts.entries()) {
        for (const path of root === undefined ? [] : pathsIn(root, 'leaves')) {
          const value = valueAt(root, path);
          const more = typeof value === 'string' ? [`${value}X`, `X${value}`] : [];
          const next = typeof value === 'number' ? [value + 1, -value, String(value)] : [];
          for (const other of [...VALUES, ...more, ...next]) {
            if (isSame(value, other, path.at(-1))) continue;
            changes += 1;
            const changed = withPart(fixture, part, withValue(root, path, other));
            if (!isNoticed(payload, changed, { part, path })) silent.push([part, path, other]);
          }
        }
      }
      expect(silent).toEqual([]);
      expect(changes).toBeGreaterThan(VALUES.length / 2);
    });

    it('is refused, or the member is listed, when a member is added', () => {
      const silent: unknown[] = [];
      for (const [part, root] of parts.entries()) {
        for (const path of root === undefined ? [] : pathsIn(root, 'objects')) {
          for (const [name, value] of Object.entries(MEMBERS)) {
            const known = valueAt(root, path) as object;
            if (Object.hasOwn(known, name)) continue;
            const changed = withPart(
              fixture,
              part,
              withValue(root, path, { ...known, [name]: value }),
            );
            const change = { part, path: [...path, name] };
            if (!isNoticed(payload, changed, change)) silent.push([part, path, name]);
          }
        }
      }
      expect(silent).toEqual([]);
    });

    const { frames } = fixture;
    if (frames === undefined) return;

    it('is refused, or the frame is listed, when a frame is added anywhere', () => {
      const base = listedBy(payload, toBytes(fixture))!;
      const silent: unknown[] = [];
      for (const [name, frame] of Object.entries(ADDED)) {
        for (let at = 0; at <= frames.length; at += 1) {
          const bytes = toBytes({ ...fixture, frames: frames.toSpliced(at, 0, frame) });
          const listed = listedBy(payload, bytes);
          if (listed?.every((path) => base.includes(path))) silent.push([name, at]);
          if (listed?.some((path) => !/\w$|\]$/.test(path))) silent.push([name, at, listed]);
        }
      }
      expect(silent).toEqual([]);
    });
  },
);

/** Frames of every kind of answer, which say something else, and frames of none. */
const ADDED: Record<string, Frame> = {
  chunk: { value: { choices: [{ index: 0, delta: { content: 'EVIL' } }] } },
  'empty chunk': { value: { choices: [], x: 1 } },
  message: { event: 'message_start', value: { type: 'message_start', message: { content: [] } } },
  text: {
    event: 'content_block_delta',
    value: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'EVIL' } },
  },
  response: {
    event: 'response.output_text.delta',
    value: { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'EVIL' },
  },
  completed: {
    event: 'response.completed',
    value: { type: 'response.completed', response: { status: 'completed', output: [] } },
  },
  'MCP result': { value: { resultType: 'complete', content: [{ type: 'text', text: 'Hi' }] } },
  'failed MCP result': { value: { isError: true, content: [] } },
  'MCP response': { value: { jsonrpc: '2.0', id: 2, result: { isError: true, content: [] } } },
  'MCP error': { value: { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'x' } } },
  native: { event: 'delta', value: { content: 'EVIL' } },
  'native end': { event: 'done', value: { content: 'EVIL' } },
  error: { event: 'error', value: { type: 'error', error: { message: 'EVIL' } } },
  unknown: { event: 'of_tomorrow', value: { type: 'of_tomorrow', text: 'EVIL' } },
  object: { value: { say: 'EVIL' } },
  text_only: { value: 'EVIL' },
  empty: { value: {} },
};
