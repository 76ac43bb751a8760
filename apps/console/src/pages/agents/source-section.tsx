import { useState } from 'react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';
import { formatBytes, formatCountOf } from '../../ui/format.ts';
import { Badge, Failure, Skeleton } from '../../ui/page-state.tsx';
import type { Tone } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Age } from '../../ui/time.tsx';
import { notify, notifyError } from '../../ui/toast.tsx';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import {
  allSourcesQuery,
  deleteDocument,
  documentsQuery,
  sourcesQuery,
  unlinkSource,
  uploadDocument,
} from './knowledge-query.ts';
import type { KnowledgeDocument, Source } from './knowledge-query.ts';

type SourceSectionProps = { agent: Agent; source: Source; canChange: boolean };

/** One source with its documents. */
export const SourceSection = ({ agent, source, canChange }: SourceSectionProps) => {
  const client = useQueryClient();
  const unlinking = useMutation({
    mutationFn: () => unlinkSource(agent.id, source.id),
    onSuccess: async () => {
      notify(`${agent.name} no longer reads ${source.name}`);
      await client.invalidateQueries({ queryKey: sourcesQuery(agent.id).queryKey });
    },
    onError: notifyError,
  });
  return (
    <Section
      title={source.name}
      intro={source.description ?? undefined}
      actions={
        canChange && (
          <Button
            aria-label={`Unlink ${source.name}`}
            isPending={unlinking.isPending}
            onPress={() => unlinking.mutate()}
          >
            Unlink
          </Button>
        )
      }
    >
      <DocumentList source={source} canChange={canChange} />
      {canChange && <Upload source={source} />}
    </Section>
  );
};

const FILE_BYTES_MAX = 32 * 1024 * 1024;
const ACCEPT = ['.txt', '.md', '.markdown', '.html', '.htm', '.pdf', '.docx'];

/** Loads again what depends on the documents of a source. */
const useDocumentRefresh = (source: Source): (() => Promise<void>) => {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: documentsQuery(source.id).queryKey });
    await client.invalidateQueries({ queryKey: allSourcesQuery.queryKey });
  };
};

const Upload = ({ source }: { source: Source }) => {
  const refresh = useDocumentRefresh(source);
  const uploading = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        if (file.size > FILE_BYTES_MAX) throw new Error(`${file.name} is larger than 32 MiB.`);
        const { title } = await uploadDocument(source.id, file);
        notify(`“${title}” is added`);
      }
    },
    onError: notifyError,
    onSettled: refresh,
  });
  return (
    <FileDrop
      label={`Upload to ${source.name}`}
      hint="Text, Markdown, HTML, PDF or DOCX, up to 32 MiB each, or drop them here"
      accept={ACCEPT}
      isPending={uploading.isPending}
      onFiles={uploading.mutate}
    />
  );
};

const DocumentList = ({ source, canChange }: { source: Source; canChange: boolean }) => {
  const list = useInfiniteQuery(documentsQuery(source.id));
  if (list.isPending) return <Skeleton lines={3} />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  const documents = list.data.pages.flatMap((page) => page.documents);
  if (documents.length === 0) return <p className="muted">No documents yet.</p>;
  return (
    <>
      <ul className={css.rows} aria-label={`Documents of ${source.name}`}>
        {documents.map((document) => (
          <DocumentRow
            key={document.id}
            source={source}
            document={document}
            canChange={canChange}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
          Show older documents
        </Button>
      )}
    </>
  );
};

const STATES: Readonly<Record<KnowledgeDocument['status'], { label: string; tone: Tone }>> = {
  ready: { label: 'Ready', tone: 'good' },
  processing: { label: 'Being read', tone: 'info' },
  failed: { label: 'Failed', tone: 'bad' },
};

type DocumentRowProps = { source: Source; document: KnowledgeDocument; canChange: boolean };

const DocumentRow = ({ source, document, canChange }: DocumentRowProps) => {
  const [isDeleting, setDeleting] = useState(false);
  const { title, status, error, size, pageCount, chunkCount, createdAt } = document;
  return (
    <li className={css.row}>
      <div className={css.rowMain}>
        <p className={css.rowHead}>
          <strong>{title}</strong>
          <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>
        </p>
        {error !== null && <p className={css.text}>{error}</p>}
        <p className={css.small}>
          {formatBytes(size)}
          {pageCount !== null && `, ${formatCountOf(pageCount, 'page')}`}
          {status === 'ready' && `, ${formatCountOf(chunkCount, 'passage')}`},{' '}
          <Age at={createdAt} />
        </p>
      </div>
      {canChange && (
        <IconButton icon="close" label={`Delete ${title}`} onPress={() => setDeleting(true)} />
      )}
      {isDeleting && (
        <DeleteDialog source={source} document={document} onClose={() => setDeleting(false)} />
      )}
    </li>
  );
};

type DeleteDialogProps = Omit<DocumentRowProps, 'canChange'> & { onClose: () => void };

const DeleteDialog = ({ source, document, onClose }: DeleteDialogProps) => {
  const refresh = useDocumentRefresh(source);
  const deleting = useMutation({
    mutationFn: () => deleteDocument(document.id),
    onSuccess: async () => {
      notify(`“${document.title}” is deleted`);
      onClose();
      await refresh();
    },
    onError: notifyError,
  });
  return (
    <ConfirmDialog
      title={`Delete “${document.title}”?`}
      isOpen
      onClose={onClose}
      action="Delete the document"
      isPending={deleting.isPending}
      onConfirm={deleting.mutate}
    >
      <p>
        No agent finds it any more. Certificates that name its passages remain. This cannot be
        undone.
      </p>
    </ConfirmDialog>
  );
};
