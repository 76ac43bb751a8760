import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { KnowledgeDocument, KnowledgeSource, Passage } from '@witan/contracts';

export const encodeListedSource = (source: KnowledgeSource) => ({
  id: source.id,
  name: source.name,
  description: source.description || null,
  documentCount: source.documentCount,
  createdAt: timestampDate(source.createdAt!).toISOString(),
});

export const encodeSource = (source: KnowledgeSource) => ({
  ...encodeListedSource(source),
  agents: source.agents.map(({ id, name }) => ({ id, name })),
});

export const encodeDocument = (document: KnowledgeDocument) => ({
  id: document.id,
  sourceId: document.sourceId,
  title: document.title,
  mediaType: document.mediaType,
  status: document.status,
  error: document.error || null,
  size: Number(document.size),
  pageCount: document.pageCount ?? null,
  chunkCount: document.chunkCount,
  createdAt: timestampDate(document.createdAt!).toISOString(),
});

export const encodePassage = (passage: Passage) => ({
  sourceId: passage.sourceId,
  source: passage.source,
  documentId: passage.documentId,
  title: passage.title,
  chunkId: passage.chunkId,
  page: passage.page ?? null,
  score: passage.score,
  text: passage.text,
  sha256: passage.sha256,
});

const SOURCE_ID = /^kns_[0-9A-Za-z]{1,64}$/;
const DOCUMENT_ID = /^knd_[0-9A-Za-z]{1,64}$/;

export const isSourceId = (text: string): boolean => SOURCE_ID.test(text);

export const isDocumentId = (text: string): boolean => DOCUMENT_ID.test(text);

export const readSourceId = (id: string, param?: string): string => {
  if (isSourceId(id)) return id;
  throw notFound('There is no such source in this workspace.', param ? { param } : {});
};

export const readDocumentId = (id: string): string => {
  if (isDocumentId(id)) return id;
  throw notFound('There is no such document in this workspace.');
};
