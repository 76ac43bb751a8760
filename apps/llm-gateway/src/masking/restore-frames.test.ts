import { describe, expect, it, jest } from '@jest/globals';
import { DIALECTS } from '@witan/dialects';
import type { DialectName } from '@witan/dialects';
import { createMasker, createRestorer } from '@witan/privacy';
import type { Restorer } from '@witan/privacy';
import { createSseSplitter } from '@witan/proof';
import fc from 'fast-check';
import { DONE, chatFrame, messageFrame, responseFrames } from '../../test/provider-answers.ts';
import { createFrameRestorer, createRestoreContext } from './restore.ts';

const VALUE = 'O"Brien\n\\';

const openTable = (): { restorer: Restorer; name: string } => {
  const detect = (text: string) => [{ start: 0, end: text.length, category: 'PERSON' as const }];
  const masker = createMasker({ key: new Uint8Array(32), detect });
  const name = masker.mask(VALUE).slice(2, -2);
  return { restorer: createRestorer(masker.table), name };
};
const { restorer, name: NAME } = openTable();

const restore = (
  dialectName: DialectName,
  frames: readonly string[],
  { wantsJson = false } = {},
): { text: string; frames: string[]; contradiction: string | undefined } => {
  const dialect = DIALECTS[dialectName];
  const frameRestorer = createFrameRestorer({
    dialect,
    ...createRestoreContext(restorer, wantsJson),
  });
  const restoredFrames = createSseSplitter()
    .push(Buffer.from(frames.join('')))
    .flatMap((frame) => {
      const { kind, value } = dialect.readFrame(frame.data);
      return frameRestorer.take({ frame, value }, kind);
    });
  const output = dialect.createAnswer();
  for (const { value } of restoredFrames) if (value) output.chunk(value);
  const [choice] = output.choices();
  const calls = choice?.toolCalls.map((call) => call.arguments) ?? [];
  return {
    contradiction: output.contradiction,
    text: [choice?.content ?? '', ...calls].join('|'),
    frames: restoredFrames.map(({ frame }) => Buffer.from(frame.bytes).toString()),
  };
};

const delta = (content: object, finish: string | null = null, index = 0): string =>
  chatFrame({ id: 'c1', model: 'm', choices: [{ index, delta: content, finish_reason: finish }] });
const STOP = delta({}, 'stop');
const textDelta = (text: string, index = 0): string =>
  messageFrame({
    type: 'content_block_delta',
    index,
    delta: { type: 'text_delta', text },
  } as never);
const blockStop = (index = 0): string =>
  messageFrame({ type: 'content_block_stop', index } as never);

/** Spellings in which models return a placeholder. */
const FORMS = [
  `[[${NAME}]]`,
  `[${NAME}]`,
  NAME,
  `\\[\\[${NAME}\\]\\]`,
  `[[${NAME.toLowerCase()}]]`,
  NAME.replace('_', '\\_'),
];

describe.each<[DialectName, (pieces: readonly string[]) => string[]]>([
  ['chat-completions', (pieces) => [...pieces.map((content) => delta({ content })), STOP, DONE]],
  ['messages', (pieces) => [...pieces.map((text) => textDelta(text)), blockStop()]],
  ['responses', (pieces) => responseFrames({ text: pieces })],
])('frames of %s', (dialect, toFrames) => {
  it.each(FORMS)('restore %s, split anywhere', (form) => {
    const text = `Hi ${form}, bye`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const frames = toFrames([text.slice(0, cut), text.slice(cut)]);
      expect(restore(dialect, frames).text).toBe(`Hi ${VALUE}, bye`);
    }
  });

  it('restore placeholders split into any pieces, and buffer nothing at the end', () => {
    const word = fc.constantFrom(...FORMS, '[', '[[', 'PERSON', ' and ', '\\', '😀', '\n');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(fc.nat(60)), (words, cuts) => {
        const text = words.join(' ');
        const cutPoints = [0, ...cuts.filter((cut) => cut < text.length), text.length];
        const sorted = cutPoints.toSorted((a, b) => a - b);
        const pieces = sorted.slice(1).map((to, index) => text.slice(sorted[index], to));
        expect(restore(dialect, toFrames(pieces)).text).toBe(restorer.restore(text));
      }),
    );
  });

  it('are unchanged when there is nothing to restore', () => {
    const frames = toFrames(['Hello ', '[not one]', ' ë😀']);
    expect(restore(dialect, frames).frames).toEqual(frames);
  });

  it('escape values only in an answer that is JSON on request', () => {
    const json = toFrames(['\n{"who":"[[', `${NAME}]]"}`]);
    const { text } = restore(dialect, json, { wantsJson: true });
    expect(JSON.parse(text)).toEqual({ who: VALUE });
    const prose = restore(dialect, toFrames([`No: [[${NAME}]]`]), { wantsJson: true });
    expect(prose.text).toBe(`No: ${VALUE}`);
  });
});

describe('buffered text', () => {
  const HALF_PLACEHOLDER = '[[PERSON_';

  it('is sent in its own chunk before the finish reason', () => {
    const { frames } = restore('chat-completions', [
      delta({ content: `a ${HALF_PLACEHOLDER}` }),
      STOP,
      DONE,
    ]);
    expect(frames).toEqual([delta({ content: 'a ' }), expect.any(String), STOP, DONE]);
    const generated = JSON.parse(frames[1]!.slice('data: '.length)) as object;
    expect(generated).toEqual({
      id: 'c1',
      model: 'm',
      choices: [{ index: 0, delta: { content: HALF_PLACEHOLDER }, finish_reason: null }],
    });
  });

  it('is sent with the finish reason when that chunk has text too', () => {
    const last = delta({ content: HALF_PLACEHOLDER }, 'stop');
    expect(restore('chat-completions', [last, DONE]).frames).toEqual([last, DONE]);
  });

  it('is sent before the end of a stream without a finish reason', () => {
    const { text } = restore('chat-completions', [delta({ content: HALF_PLACEHOLDER }), DONE]);
    expect(text).toBe(HALF_PLACEHOLDER);
  });

  it('is sent in its own choice and its own block', () => {
    const chat = restore('chat-completions', [
      delta({ content: HALF_PLACEHOLDER }, null, 0),
      delta({ content: `x ${HALF_PLACEHOLDER}` }, null, 1),
      delta({}, 'stop', 1),
      delta({ content: `${NAME.slice('PERSON_'.length)}]]` }, null, 0),
      delta({}, 'stop', 0),
    ]);
    expect(chat.text).toBe(VALUE);
    const message = restore('messages', [
      textDelta(HALF_PLACEHOLDER),
      blockStop(),
      textDelta('b', 1),
      blockStop(1),
    ]);
    expect(message.text).toBe(`${HALF_PLACEHOLDER}b`);
    expect(message.frames[1]).toBe(textDelta(HALF_PLACEHOLDER));
  });
});

describe('frames of responses', () => {
  const eventsOf = (frames: readonly string[]) =>
    frames.map((frame) => JSON.parse(frame.split('data: ')[1]!) as Record<string, unknown>);
  const HALF_PLACEHOLDER = '[[PERSON_';

  it('have numbers without holes when buffered text is sent in an event of its own', () => {
    const calls = [{ id: 'c', name: 'f', arguments: `{"a":"${HALF_PLACEHOLDER}` }];
    const sent = responseFrames({ text: ['a ', HALF_PLACEHOLDER], calls });
    const { frames } = restore('responses', sent);
    expect(frames).toHaveLength(sent.length + 2);
    const events = eventsOf(frames);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map((event) => event['delta'])).toEqual(['a ', '', HALF_PLACEHOLDER]);
    expect(deltas[2]).toMatchObject({ item_id: 'msg_scripted', output_index: 0, content_index: 0 });
  });

  it('restore a value in deltas, at the end of its text, in its item, and in the response', () => {
    const json = JSON.stringify({ who: `[[${NAME}]]` });
    const calls = [{ id: 'c', name: 'f', arguments: json }];
    const text = [`[[${NAME.slice(0, 4)}`, `${NAME.slice(4)}]]`];
    const reasoning = { summary: `Of [[${NAME}]]`, encrypted: `[[${NAME}]]` };
    const { text: gathered, frames } = restore(
      'responses',
      responseFrames({ text, calls, reasoning }),
    );
    const restoredJson = JSON.stringify({ who: VALUE });
    expect(gathered).toBe(`${VALUE}|${restoredJson}`);
    const { response } = eventsOf(frames).at(-1) as { response: { output: object[] } };
    expect(response.output).toMatchObject([
      { summary: [{ text: `Of ${VALUE}` }], encrypted_content: `[[${NAME}]]` },
      { content: [{ text: VALUE }] },
      { arguments: restoredJson },
    ]);
    const done = eventsOf(frames).filter(({ type }) => String(type).endsWith('.done'));
    expect(JSON.stringify(done).replaceAll('encrypted_content":"[[', '')).not.toContain('[[');
  });
});

describe('a text that events repeat', () => {
  it('is restored like its pieces, however they are split', () => {
    const texts = [
      `\`\`\`json\n{"who": "[[${NAME}]]"}`,
      `\n [ {"who": "[[${NAME}]]"}]`,
      `["[[${NAME}]]"]`,
      `{"who": "[[${NAME}]]"}`,
      `So [[${NAME}]] {`,
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.nat(60), { maxLength: 6 }),
        fc.boolean(),
        (whole, cuts, wantsJson) => {
          const points = [0, ...cuts.filter((cut) => cut < whole.length), whole.length];
          const ends = points.toSorted((a, b) => a - b);
          const text = ends.slice(1).map((end, i) => whole.slice(ends[i], end));
          const { contradiction } = restore('responses', responseFrames({ text }), { wantsJson });
          expect(contradiction).toBeUndefined();
        },
      ),
    );
  });
});

describe('a text that begins with white space', () => {
  it('is searched for JSON in as many steps as it has characters, not in their square', () => {
    const searched = jest.spyOn(RegExp.prototype, 'test');
    const searchedCharacters = (pieces: number): number => {
      searched.mockClear();
      const spaces = Array.from({ length: pieces }, () => delta({ content: ' \n' }));
      const { text } = restore('chat-completions', [
        ...spaces,
        ...[
          '```js',
          'on\n',
          '[',
          ...Array.from({ length: pieces }, () => ' '),
          `"[[${NAME}]]"]`,
        ].map((content) => delta({ content })),
        STOP,
      ]);
      expect(JSON.parse(text.slice(text.indexOf('[')))).toEqual([VALUE]);
      expect(text.startsWith(' \n'.repeat(pieces))).toBe(true);
      return searched.mock.calls.reduce((sum, [searchedText]) => sum + searchedText.length, 0);
    };
    expect(searchedCharacters(400)).toBeLessThanOrEqual(2 * searchedCharacters(200));
    searched.mockRestore();
  });
});

describe('another field of a choice', () => {
  it('is sent after the text that was buffered for the field before it', () => {
    const { frames } = restore('chat-completions', [
      delta({ reasoning_content: 'Who am [[PERSON' }),
      delta({ content: 'Hello' }),
      STOP,
    ]);
    expect(frames.map((frame) => JSON.parse(frame.slice(6)).choices[0].delta)).toEqual([
      { reasoning_content: 'Who am ' },
      { reasoning_content: '[[PERSON' },
      { content: 'Hello' },
      {},
    ]);
  });
});

describe('restored values', () => {
  it('are limited in total', () => {
    const detect = (text: string) => [{ start: 0, end: text.length, category: 'PERSON' as const }];
    const masker = createMasker({ key: new Uint8Array(32), detect });
    const placeholder = masker.mask('x'.repeat(1024 * 1024));
    const { onRestore, ...restoreContext } = createRestoreContext(
      createRestorer(masker.table),
      false,
    );
    const stream = restoreContext.restorer.createRestoreStream({ onRestore });
    expect(stream.push(placeholder.repeat(32))).toHaveLength(32 * 1024 * 1024);
    expect(() => stream.push(placeholder)).toThrow(
      expect.objectContaining({ reason: 'PROVIDER_INVALID_ANSWER' }),
    );
  });
});

describe('a rewritten frame', () => {
  it('keeps its comments, its id, and every other member', () => {
    const frame = `: c\nid: 7\nevent: x\ndata: {"n":1.50,"choices":[{"index":0,\ndata: "delta":{"content":"[[${NAME}]]","n":12345678901234567890}}]}\n\n`;
    const { frames } = restore('chat-completions', [frame]);
    expect(frames).toEqual([frame.replace(`[[${NAME}]]`, JSON.stringify(VALUE).slice(1, -1))]);
  });

  it('leaves thinking and signatures unchanged', () => {
    const thinking = (piece: object): string =>
      messageFrame({ type: 'content_block_delta', index: 0, delta: piece } as never);
    const frames = [
      thinking({ type: 'thinking_delta', thinking: `[[${NAME}]]` }),
      thinking({ type: 'signature_delta', signature: `[[${NAME}]]` }),
    ];
    expect(restore('messages', frames).frames).toEqual(frames);
  });
});
