import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../app/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Badge, EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Age, Day } from '../../ui/time.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { keyStateOf } from './key-state.ts';
import { describeScopes } from './key-scopes.ts';
import { keysQuery } from './keys-query.ts';
import type { ApiKey } from './keys-query.ts';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

type Opened = { kind: 'create' } | { kind: 'rotate' | 'revoke'; apiKey: ApiKey };

/** Lists, creates, rotates and revokes the API keys of the workspace. */
export const Keys = () => {
  const session = useSession();
  const [opened, setOpened] = useState<Opened>();
  const mayChange = canUse(session, ['keys']);
  const close = (): void => setOpened(undefined);
  return (
    <Section
      title="API keys"
      intro={
        'A key is shown once, when it is created. Give each program its own key with the ' +
        'scopes that it needs.'
      }
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onPress={() => setOpened({ kind: 'create' })}>
            Create a key
          </Button>
        )
      }
    >
      <KeyList onOpen={mayChange ? setOpened : undefined} ownKeyId={session.keyId} />
      {opened?.kind === 'create' && <CreateKeyDialog onClose={close} />}
      {opened?.kind === 'rotate' && <RotateKeyDialog apiKey={opened.apiKey} onClose={close} />}
      {opened?.kind === 'revoke' && (
        <RevokeKeyDialog
          apiKey={opened.apiKey}
          isOwn={opened.apiKey.id === session.keyId}
          onClose={close}
        />
      )}
    </Section>
  );
};

type KeyListProps = { onOpen: ((opened: Opened) => void) | undefined; ownKeyId: string };

const KeyList = ({ onOpen, ownKeyId }: KeyListProps) => {
  const keys = useInfiniteQuery(keysQuery);
  if (keys.isPending) return <Skeleton />;
  if (keys.isError) return <Failure error={keys.error} onRetry={() => void keys.refetch()} />;
  const items = keys.data.pages.flatMap(({ apiKeys }) => apiKeys);
  if (items.length === 0) {
    return (
      <EmptyState icon="key" title="No keys yet">
        <p>Create a key to call the API from a program.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table label="API keys" columns={columnsOf(onOpen, ownKeyId)} items={items} />
      {keys.hasNextPage && (
        <Button isPending={keys.isFetchingNextPage} onPress={() => void keys.fetchNextPage()}>
          Show older keys
        </Button>
      )}
    </>
  );
};

const columnsOf = (onOpen: KeyListProps['onOpen'], ownKeyId: string): TableColumn<ApiKey>[] => [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ id, name, prefix }) => (
      <>
        <strong>{name}</strong> {id === ownKeyId && <Badge tone="info">This session</Badge>}
        <br />
        <code className="muted">{prefix}…</code>
      </>
    ),
  },
  { id: 'state', title: 'State', cell: (apiKey) => <KeyStateBadge apiKey={apiKey} /> },
  { id: 'scopes', title: 'Scopes', cell: ({ scopes }) => describeScopes(scopes) },
  {
    id: 'used',
    title: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="muted">Never</span> : <Age at={lastUsedAt} />,
  },
  { id: 'created', title: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
  {
    id: 'actions',
    title: onOpen ? 'Actions' : '',
    cell: (apiKey) => onOpen && <KeyMenu apiKey={apiKey} onOpen={onOpen} />,
  },
];

const KeyStateBadge = ({ apiKey }: { apiKey: ApiKey }) => {
  const { label, tone } = keyStateOf(apiKey, new Date());
  const until = label === 'Expires' || label === 'Expired' ? apiKey.expiresAt : undefined;
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {until && (
        <>
          <br />
          <Age at={until} />
        </>
      )}
    </>
  );
};

const KeyMenu = ({ apiKey, onOpen }: { apiKey: ApiKey; onOpen: (opened: Opened) => void }) => {
  if (!keyStateOf(apiKey, new Date()).isUsable) return null;
  return (
    <Menu
      label={`Actions of ${apiKey.name}`}
      trigger={<IconButton icon="more" label={`Actions of ${apiKey.name}`} />}
      actions={[
        {
          id: 'rotate',
          label: 'Rotate',
          icon: 'refresh',
          onAction: () => onOpen({ kind: 'rotate', apiKey }),
        },
        {
          id: 'revoke',
          label: 'Revoke',
          icon: 'close',
          isDestructive: true,
          onAction: () => onOpen({ kind: 'revoke', apiKey }),
        },
      ]}
    />
  );
};
