import { describe, expect, it } from '@jest/globals';
import { decodeContent } from './decode-content.ts';
import type { ContentType } from './decode-content.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';

const ALL: readonly ContentType[] = ['text', 'image_url', 'input_audio', 'file', 'refusal'];

const decode = (content: unknown) => {
  const dropped = createDroppedFields();
  const parts = decodeContent(content, ALL, { path: 'content', dropped });
  return { parts: parts.map(({ part }) => part), dropped: dropped.names() };
};
const decodeOne = (part: unknown): unknown => decode([part]).parts[0];
const image = (url: unknown, extra: object = {}) => ({
  type: 'image_url',
  image_url: { url, ...extra },
});
const file = (members: object) => ({ type: 'file', file: members });

describe('decodeContent', () => {
  it('decodes a string as one part', () => {
    expect(decode('hi').parts).toEqual([{ case: 'text', value: { text: 'hi' } }]);
  });

  it('decodes base64 images, URLs and the detail level', () => {
    expect(decodeOne(image('data:image/png;base64,AA==', { detail: 'high' }))).toMatchObject({
      case: 'image',
      value: {
        media: { mediaType: 'image/png', source: { case: 'base64', value: 'AA==' } },
        detail: 'high',
      },
    });
    const media = { source: { case: 'url', value: 'HTTPS://example.com/a' } };
    expect(decodeOne(image('HTTPS://example.com/a'))).toMatchObject({ value: { media } });
    const short = { type: 'image_url', image_url: 'HTTPS://example.com/a' };
    expect(decodeOne(short)).toMatchObject({ value: { media } });
  });

  it('decodes the media type of a data URL with parameters', () => {
    const url = 'data:text/plain;charset=utf-8;base64,aGk=';
    expect(decodeOne(file({ file_data: url, filename: 'a.txt' }))).toMatchObject({
      case: 'document',
      value: {
        media: { mediaType: 'text/plain', source: { case: 'base64', value: 'aGk=' } },
        name: 'a.txt',
      },
    });
  });

  it('decodes audio', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } };
    expect(decodeOne(audio)).toEqual({ case: 'audio', value: { format: 'mp3', base64: 'AA==' } });
  });

  it('preserves prompt-cache marks', () => {
    const part = { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } };
    expect(decodeOne(part)).toEqual({
      case: 'text',
      value: { text: 'a', cacheControl: '{"type":"ephemeral","ttl":"1h"}' },
    });
  });

  it.each([
    ['text', { type: 'text', text: 'a' }, ''],
    ['image_url', image('https://example.com/a', { x: 1 }), 'image_url.x'],
    ['file', file({ file_data: 'data:a/b;base64,', x: 1 }), 'file.x'],
    [
      'input_audio',
      { type: 'input_audio', input_audio: { data: 'a', format: 'wav', x: 1 } },
      'input_audio.x',
    ],
  ])('reports unknown members in parts of type %s', (_name, part, inner) => {
    const { dropped } = decode([{ ...part, prompt_cache_breakpoint: { mode: 'explicit' } }]);
    const names = inner === '' ? [] : [`content[].${inner}`];
    expect(dropped).toEqual([...names, 'content[].prompt_cache_breakpoint']);
  });

  it.each([
    [{ type: 'video' }, 'content[0].type', 'unsupported_parameter'],
    [{}, 'content[0].type', 'unsupported_parameter'],
    [file({ file_id: 'file-1' }), 'content[0].file.file_id', 'unsupported_parameter'],
    ['x', 'content[0]', undefined],
    [{ type: 'text', text: 5 }, 'content[0].text', undefined],
    [{ type: 'image_url' }, 'content[0].image_url', undefined],
    [image(5), 'content[0].image_url.url', undefined],
    [image('ftp://example.com/a'), 'content[0].image_url.url', undefined],
    [image('data:image/png,abc'), 'content[0].image_url.url', undefined],
    [image('data:;base64,AA=='), 'content[0].image_url.url', undefined],
    [image('data:image/png;base64A'), 'content[0].image_url.url', undefined],
    [image('data:image/png;base64'), 'content[0].image_url.url', undefined],
    [image('https://example.com/a', { detail: 1 }), 'content[0].image_url.detail', undefined],
    [file({}), 'content[0].file.file_data', undefined],
    [file({ file_data: 'JVBERi0=' }), 'content[0].file.file_data', undefined],
    [{ type: 'input_audio', input_audio: {} }, 'content[0].input_audio.format', undefined],
    [{ type: 'text', text: 'a', cache_control: 1 }, 'content[0].cache_control', undefined],
  ])('refuses %j with its path', (part, param, code) => {
    expect(() => decodeOne(part)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: code === undefined ? { param } : { param, code },
      }),
    );
  });

  it.each([5, null, undefined, {}])('refuses content that is %p', (content) => {
    expect(() => decode(content)).toThrow(
      expect.objectContaining({ fields: { param: 'content' } }),
    );
  });
});
