import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../../app/session.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import css from '../settings.module.css';
import { workspaceQuery } from '../workspace-query.ts';
import type { Workspace } from '../workspace-query.ts';
import { AliasDialog, DeleteAliasDialog, RouterDialog } from './model-dialogs.tsx';
import { firstModelQuery } from './models-query.ts';
import type { RouterList } from './models-query.ts';
import { ProviderSection } from './providers.tsx';
import { RowMenu } from './row-menu.tsx';
import { TargetList } from './target-list.tsx';

/** Names for models, what is behind the router, and the providers of the workspace. */
export const Models = () => {
  const workspace = useQuery(workspaceQuery);
  const mayChange = canUse(useSession(), ['keys']);
  if (workspace.isPending) return <Skeleton lines={12} />;
  if (workspace.isError) {
    return <Failure error={workspace.error} onRetry={() => void workspace.refetch()} />;
  }
  return (
    <div className={css.sectionList}>
      <AliasSection aliases={workspace.data.aliases} mayChange={mayChange} />
      <RouterSection router={workspace.data.router} mayChange={mayChange} />
      <ProviderSection mayChange={mayChange} />
    </div>
  );
};

type Alias = { id: string; targets: Workspace['aliases'][string]['targets'] };
type Opened = { kind: 'add' } | { kind: 'edit' | 'delete'; alias: Alias };

type AliasSectionProps = { aliases: Workspace['aliases']; mayChange: boolean };

const AliasSection = ({ aliases, mayChange }: AliasSectionProps) => {
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const items = Object.entries(aliases).map(([id, { targets }]) => ({ id, targets }));
  return (
    <Section
      title="Aliases"
      intro="Own names for models. A call that names one goes to its targets, the best first."
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onPress={() => setOpened({ kind: 'add' })}>
            Add an alias
          </Button>
        )
      }
    >
      {items.length === 0 ? (
        <EmptyState icon="calls" title="No aliases yet">
          <p>
            With an alias, programs keep the name of a model while you change the model behind it,
            and a failure of one provider leads to the next.
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Aliases"
          columns={columnsOf(mayChange ? setOpened : undefined)}
          items={items}
        />
      )}
      {opened?.kind === 'add' && <AliasDialog onClose={close} />}
      {opened?.kind === 'edit' && (
        <AliasDialog
          alias={{ name: opened.alias.id, targets: opened.alias.targets }}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && <DeleteAliasDialog name={opened.alias.id} onClose={close} />}
    </Section>
  );
};

const columnsOf = (onOpen: ((opened: Opened) => void) | undefined): TableColumn<Alias>[] => [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ id }) => <span className={css.name}>{id}</span>,
  },
  { id: 'targets', title: 'Targets', cell: ({ targets }) => <TargetList targets={targets} /> },
  {
    id: 'actions',
    title: onOpen ? 'Actions' : '',
    cell: (alias) =>
      onOpen && (
        <RowMenu
          name={alias.id}
          onEdit={() => onOpen({ kind: 'edit', alias })}
          onDelete={() => onOpen({ kind: 'delete', alias })}
        />
      ),
  },
];

/** `address` is one that leads to the first target of the list. */
const LISTS: readonly { list: RouterList; address: string; title: string; intro: string }[] = [
  {
    list: 'full',
    address: 'service-agent',
    title: 'Full quality',
    intro: 'For service-agent, and for service-auto where a request is complex.',
  },
  {
    list: 'cheap',
    address: 'service-auto',
    title: 'Cheap',
    intro: 'For service-auto where a request is simple.',
  },
];

/** The operator's model behind an address, for keys that may preview a call. */
const OperatorModel = ({ address }: { address: string }) => {
  const mayPreview = canUse(useSession(), ['gateway']);
  const { data } = useQuery({ ...firstModelQuery(address), enabled: mayPreview });
  if (data === undefined) return <p>As the operator has configured it.</p>;
  return (
    <p>
      <strong>{data.model}</strong> <span className="muted">{data.provider}</span>, as the operator
      has configured it.
    </p>
  );
};

type RouterSectionProps = { router: Workspace['router']; mayChange: boolean };

const RouterSection = ({ router, mayChange }: RouterSectionProps) => {
  const [opened, setOpened] = useState<RouterList>();
  return (
    <Section title="Router" intro="The models behind the addresses service-agent and service-auto.">
      {LISTS.map(({ list, address, title, intro }) => (
        <div key={list} className={css.row}>
          <div className={css.group}>
            <h3>{title}</h3>
            <p className="muted">{intro}</p>
            {router[list].targets.length === 0 ? (
              <OperatorModel address={address} />
            ) : (
              <TargetList targets={router[list].targets} />
            )}
          </div>
          {mayChange && (
            <Button aria-label={`Change: ${title}`} onPress={() => setOpened(list)}>
              Change
            </Button>
          )}
        </div>
      ))}
      {opened && (
        <RouterDialog
          list={opened}
          title={LISTS.find(({ list }) => list === opened)!.title}
          targets={router[opened].targets}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Section>
  );
};
