import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../../app/use-change.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import { Day } from '../../../ui/time.tsx';
import css from '../settings.module.css';
import { providersQuery } from '../../../app/providers-query.ts';
import type { Providers } from '../../../app/providers-query.ts';
import { removeProvider } from './models-query.ts';
import type { Provider } from './models-query.ts';
import { DIALECTS, ProviderDialog } from './provider-dialog.tsx';
import { RowMenu } from './row-menu.tsx';

type Opened = { kind: 'add' } | { kind: 'edit' | 'remove'; provider: Provider };

/** The providers of the workspace, with keys of its own, and the names of the operator's. */
export const ProviderSection = ({ mayChange }: { mayChange: boolean }) => {
  const providers = useQuery(providersQuery);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  return (
    <Section
      title="Providers"
      intro="Accounts of the workspace with model providers. Their keys are stored encrypted."
      actions={
        mayChange && (
          <Button icon="plus" onPress={() => setOpened({ kind: 'add' })}>
            Add a provider
          </Button>
        )
      }
    >
      {providers.isPending ? (
        <Skeleton />
      ) : providers.isError ? (
        <Failure error={providers.error} onRetry={() => void providers.refetch()} />
      ) : (
        <ProviderList providers={providers.data} onOpen={mayChange ? setOpened : undefined} />
      )}
      {opened?.kind === 'add' && <ProviderDialog onClose={close} />}
      {opened?.kind === 'edit' && <ProviderDialog provider={opened.provider} onClose={close} />}
      {opened?.kind === 'remove' && (
        <RemoveProviderDialog name={opened.provider.name} onClose={close} />
      )}
    </Section>
  );
};

type ProviderListProps = {
  providers: Providers;
  onOpen: ((opened: Opened) => void) | undefined;
};

const ProviderList = ({
  providers: { providers, operatorProviders },
  onOpen,
}: ProviderListProps) => (
  <>
    {providers.length === 0 ? (
      <p>The workspace has no provider of its own.</p>
    ) : (
      <Table
        label="Providers"
        columns={columnsOf(onOpen)}
        items={providers.map((provider) => ({ ...provider, id: provider.name }))}
      />
    )}
    <p className="muted">
      {operatorProviders.length === 0
        ? 'The operator has configured no provider.'
        : `The operator's providers: ${operatorProviders.join(', ')}. A provider of the ` +
          'workspace with the same name takes precedence.'}
    </p>
  </>
);

const columnsOf = (
  onOpen: ((opened: Opened) => void) | undefined,
): TableColumn<Provider & { id: string }>[] => [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ name, dialect }) => (
      <>
        <span className={css.name}>{name}</span>
        <span className={css.note}>{DIALECTS.find(({ value }) => value === dialect)!.label}</span>
      </>
    ),
  },
  { id: 'url', title: 'Address', cell: ({ baseUrl }) => <div className={css.wrap}>{baseUrl}</div> },
  { id: 'key', title: 'Key', cell: ({ keyPreview }) => <code>{keyPreview}</code> },
  { id: 'changed', title: 'Changed', cell: ({ updatedAt }) => <Day at={updatedAt} /> },
  {
    id: 'actions',
    title: onOpen ? 'Actions' : '',
    cell: (provider) =>
      onOpen && (
        <RowMenu
          name={provider.name}
          onEdit={() => onOpen({ kind: 'edit', provider })}
          onDelete={() => onOpen({ kind: 'remove', provider })}
        />
      ),
  },
];

const RemoveProviderDialog = ({ name, onClose }: { name: string; onClose: () => void }) => {
  const removing = useChange({
    run: () => removeProvider(name),
    changes: [providersQuery.queryKey],
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Remove the provider “${name}”?`}
      isOpen
      onClose={onClose}
      action="Remove the provider"
      isPending={removing.isPending}
      error={removing.error}
      onConfirm={() => removing.mutate()}
    >
      <p>Its key is deleted. Aliases and lists that use it must be changed first.</p>
    </ConfirmDialog>
  );
};
