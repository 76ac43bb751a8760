import type { JsonSchema } from '../../http/route.ts';
import { pageSchema } from '../list-page.ts';
import {
  EXACT_NON_BLANK_TEXT,
  EXACT_TEXT,
  PLAIN_TEXT,
  NON_BLANK_TEXT,
} from '../../http/text-pattern.ts';
import { closedObject, count, dateTime, nullableText, text } from '../../http/schema.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 1_000;
const TITLE_LENGTH_MAX = 200;
const QUERY_LENGTH_MAX = 32_000;
const SOURCE_IDS_MAX = 100;
const PASSAGES_MAX = 50;

export const NEW_SOURCE = {
  type: 'object',
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      maxLength: NAME_LENGTH_MAX,
      pattern: EXACT_NON_BLANK_TEXT,
      description: 'Unique in the workspace; certificates name it. Without the spaces around it',
    },
    description: {
      type: ['string', 'null'],
      maxLength: DESCRIPTION_LENGTH_MAX,
      pattern: EXACT_TEXT,
    },
  },
} as const;

const SOURCE_MEMBERS = {
  id: text,
  name: text,
  description: nullableText,
  documentCount: count,
  createdAt: dateTime,
} as const;

export const SOURCE = closedObject({
  source: closedObject({
    ...SOURCE_MEMBERS,
    agents: { type: 'array', items: closedObject({ id: text, name: text }) },
  }),
});

export const SOURCES = pageSchema('sources', closedObject(SOURCE_MEMBERS));

export const TITLE = {
  type: 'string',
  maxLength: TITLE_LENGTH_MAX,
  pattern: EXACT_TEXT,
} as const;

export const NEW_DOCUMENT = {
  type: 'object',
  required: ['content'],
  properties: {
    title: { ...TITLE, description: 'Empty or absent: its first heading, or its first words' },
    content: { type: 'string', pattern: NON_BLANK_TEXT, description: 'Plain text or Markdown' },
  },
} as const;

const file = { type: 'string', format: 'binary' } as const;

export const DOCUMENT_UPLOADS: Readonly<Record<string, JsonSchema>> = {
  'multipart/form-data': {
    type: 'object',
    required: ['file'],
    properties: { file, title: TITLE },
  },
  'text/plain': file,
  'text/markdown': file,
  'text/html': file,
  'application/pdf': file,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': file,
  'application/octet-stream': file,
};

const documentSchema = closedObject({
  id: text,
  sourceId: text,
  title: text,
  mediaType: { ...text, description: 'As it was recognised' },
  status: {
    enum: ['processing', 'ready', 'failed'],
    description: 'A ready one is found; one above 1 MiB is processing first',
  },
  error: { type: ['string', 'null'], description: 'Why it failed' },
  size: { type: 'integer', minimum: 0, description: 'Bytes of the original, which is not kept' },
  pageCount: { type: ['integer', 'null'], minimum: 0, description: 'null: no pages' },
  chunkCount: count,
  createdAt: dateTime,
});

export const DOCUMENT = closedObject({ document: documentSchema });

export const DOCUMENTS = pageSchema('documents', documentSchema);

export const KNOWLEDGE_QUERY = {
  type: 'object',
  required: ['query'],
  properties: {
    query: {
      type: 'string',
      maxLength: QUERY_LENGTH_MAX,
      pattern: NON_BLANK_TEXT,
      description: 'A question or some words; the rarest ones decide',
    },
    sourceIds: {
      type: 'array',
      maxItems: SOURCE_IDS_MAX,
      items: { type: 'string', pattern: PLAIN_TEXT },
      description: 'Absent or empty: every source of the workspace',
    },
    limit: { type: 'integer', minimum: 1, maximum: PASSAGES_MAX, description: 'By default 10' },
  },
} as const;

export const PASSAGES = closedObject({
  passages: {
    type: 'array',
    items: closedObject({
      sourceId: text,
      source: { ...text, description: "The source's name" },
      documentId: text,
      title: { ...text, description: "The document's title" },
      chunkId: text,
      page: { type: ['integer', 'null'], minimum: 1, description: 'null: no pages' },
      score: { type: 'number', minimum: 0, maximum: 1, description: 'Of this search only' },
      text: { ...text, description: 'As it stands in the document' },
      sha256: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description: 'Of the UTF-8 bytes of text, as certificates have it',
      },
    }),
  },
});

export const NEW_SOURCE_LINK = {
  type: 'object',
  required: ['sourceId'],
  properties: { sourceId: text },
} as const;

export const SOURCE_LINK = closedObject({ agentId: text, sourceId: text });
