import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { PartSchema } from '@witan/contracts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import { encodePart } from './encode-turns.ts';

type PartInit = NonNullable<MessageInitShape<typeof PartSchema>['part']>;

const encode = (part: PartInit) =>
  encodePart(create(PartSchema, { part }), { path: 'at', dropped: createDroppedFields() });
const base64 = (mediaType: string) => ({
  mediaType,
  source: { case: 'base64' as const, value: 'AA==' },
});
const url = { source: { case: 'url' as const, value: 'https://example.com/a' } };
const words = { mediaType: 'text/plain', source: { case: 'text' as const, value: 'words' } };

const PARTS: readonly (readonly [string, PartInit, object])[] = [
  [
    'an image with its detail',
    { case: 'image', value: { media: base64('image/png'), detail: 'low' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
  ],
  [
    'an image by URL',
    { case: 'image', value: { media: url } },
    { type: 'image_url', image_url: { url: 'https://example.com/a' } },
  ],
  [
    'a file',
    { case: 'document', value: { media: base64('application/pdf'), name: 'a.pdf' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
  ],
  [
    'a file without a name',
    { case: 'document', value: { media: base64('application/pdf') } },
    {
      type: 'file',
      file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA==' },
    },
  ],
  [
    'a document of plain text under its name',
    { case: 'document', value: { media: words, name: 'notes' } },
    { type: 'text', text: 'notes\n\nwords' },
  ],
  [
    'a document of plain text',
    { case: 'document', value: { media: words } },
    { type: 'text', text: 'words' },
  ],
  [
    'audio',
    { case: 'audio', value: { format: 'mp3', base64: 'AA==' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
  ],
];

describe('encodePart', () => {
  it.each(PARTS)('encodes %s', (_name, part, expected) => {
    expect(encode(part)).toEqual(expected);
  });

  it.each<[string, PartInit, object]>([
    [
      'a document by URL',
      { case: 'document', value: { media: url } },
      { param: 'at.source.type', code: 'unsupported_parameter' },
    ],
    ['an image without bytes', { case: 'image', value: {} }, { param: 'at.source' }],
    ['an image of text', { case: 'image', value: { media: words } }, { param: 'at.source' }],
    [
      'bytes without a media type',
      { case: 'document', value: { media: base64('') } },
      { param: 'at.source' },
    ],
    [
      'reasoning of a user',
      { case: 'reasoning', value: { text: 'hm' } },
      { param: 'at.type', code: 'unsupported_parameter' },
    ],
  ])('refuses %s with its path', (_name, part, fields) => {
    expect(() => encode(part)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields }),
    );
  });
});
