import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuAction } from '../../ui/menu.tsx';
import { Badge, EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Age } from '../../ui/time.tsx';
import { useAgent } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { ForgetDialog } from './forget-dialog.tsx';
import { isLocalModel } from './is-local-model.ts';
import { describeSource, labelOf, memoriesQuery } from './memories-query.ts';
import type { Memory } from './memories-query.ts';
import { MemoryDialog } from './memory-dialog.tsx';
import { RevisionsDialog } from './revisions-dialog.tsx';

const routeApi = getRouteApi('/shell/agents/$agentId/memories');

type Opened = { kind: 'add' } | { kind: 'edit' | 'forget' | 'revisions'; memory: Memory };

/** What the agent remembers across its sessions. */
export const Memories = () => {
  const { agentId } = routeApi.useParams();
  const agent = useAgent(agentId);
  const canChange = canUse(useSession(), ['agents']);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  return (
    <Section
      title="Memories"
      intro={
        `Part of every call of ${agent.name}. It writes some of them by itself during a chat; ` +
        'each has a key, and a new value replaces the one before.'
      }
      actions={
        canChange && (
          <Button kind="primary" icon="plus" onPress={() => setOpened({ kind: 'add' })}>
            Add a memory
          </Button>
        )
      }
    >
      <MemoryList agent={agent} canChange={canChange} onOpen={setOpened} />
      {opened?.kind === 'add' && <MemoryDialog agent={agent} memory={undefined} onClose={close} />}
      {opened?.kind === 'edit' && (
        <MemoryDialog agent={agent} memory={opened.memory} onClose={close} />
      )}
      {opened?.kind === 'forget' && (
        <ForgetDialog agent={agent} memory={opened.memory} onClose={close} />
      )}
      {opened?.kind === 'revisions' && (
        <RevisionsDialog agent={agent} memory={opened.memory} onClose={close} />
      )}
    </Section>
  );
};

type MemoryListProps = { agent: Agent; canChange: boolean; onOpen: (opened: Opened) => void };

const MemoryList = ({ agent, ...props }: MemoryListProps) => {
  const list = useInfiniteQuery(memoriesQuery(agent.id));
  if (list.isPending) return <Skeleton />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  const memories = list.data.pages.flatMap((page) => page.memories);
  if (memories.length === 0) {
    return (
      <EmptyState icon="agents" title={`${agent.name} remembers nothing yet`}>
        <p>
          Tell it what it should always know, such as the name of the company or what you have
          decided, or chat with it: it notes what matters.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={css.rows}>
        {memories.map((memory) => (
          <MemoryRow key={memory.id} agent={agent} memory={memory} {...props} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
          Show older memories
        </Button>
      )}
    </>
  );
};

type MemoryRowProps = MemoryListProps & { memory: Memory };

const MemoryRow = ({ agent, memory, canChange, onOpen }: MemoryRowProps) => {
  // The API marks a value that is written to a hosted agent as visible to hosted models.
  const mustStay = memory.localOnly === true && !isLocalModel(agent.model);
  const { key, value, type, global, source, updatedAt } = memory;
  const revisions: MenuAction = {
    id: 'revisions',
    label: 'Earlier values',
    icon: 'refresh',
    onAction: () => onOpen({ kind: 'revisions', memory }),
  };
  const changes: MenuAction[] = [
    ...(mustStay
      ? []
      : [{ id: 'edit', label: 'Edit', onAction: () => onOpen({ kind: 'edit', memory }) }]),
    revisions,
    {
      id: 'forget',
      label: 'Forget',
      icon: 'close',
      isDestructive: true,
      onAction: () => onOpen({ kind: 'forget', memory }),
    },
  ];
  return (
    <li className={css.row}>
      <div className={css.rowMain}>
        <p className={css.rowHead}>
          <strong>{key}</strong>
          <Badge>{labelOf(type)}</Badge>
          {global && <Badge tone="info">All agents</Badge>}
          <Marks memory={memory} />
        </p>
        <p className={css.text}>{value}</p>
        <p className={css.small}>
          {describeSource(source)}, <Age at={updatedAt} />
        </p>
        {mustStay && canChange && (
          <p className={css.small}>
            It cannot be edited while {agent.name} uses a hosted model, because that model would see
            the new value.
          </p>
        )}
      </div>
      <Menu
        label={`Actions of ${key}`}
        trigger={<IconButton icon="more" label={`Actions of ${key}`} />}
        actions={canChange ? changes : [revisions]}
      />
    </li>
  );
};

const Marks = ({ memory: { localOnly, tainted, globalDenied } }: { memory: Memory }) => (
  <>
    {localOnly && (
      <span title="It derives from a call that stayed on this machine: no hosted model sees it">
        <Badge tone="good">On this machine only</Badge>
      </span>
    )}
    {tainted && (
      <span title="Written in a turn with tool results, documents or context: check it">
        <Badge tone="warn">From outside text</Badge>
      </span>
    )}
    {globalDenied && (
      <span title="The agent asked to share it with all agents; that was not allowed">
        <Badge tone="warn">Not shared</Badge>
      </span>
    )}
  </>
);
