import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../../app/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Badge, EmptyState, Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import { Day } from '../../../ui/time.tsx';
import css from '../settings.module.css';
import { CreateWebhookDialog } from './webhook-dialogs.tsx';
import { describeState } from './webhook-labels.ts';
import { webhooksQuery } from './webhooks-query.ts';
import type { Webhook } from './webhooks-query.ts';

/** Lists the webhooks of the workspace and adds one. */
export const Webhooks = () => {
  const mayChange = canUse(useSession(), ['webhooks']);
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="Webhooks"
      intro="Events of the workspace are posted to your endpoints, signed with a secret of each."
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onPress={() => setCreating(true)}>
            Add a webhook
          </Button>
        )
      }
    >
      <WebhookList />
      {isCreating && <CreateWebhookDialog onClose={() => setCreating(false)} />}
    </Section>
  );
};

const WebhookList = () => {
  const webhooks = useInfiniteQuery(webhooksQuery);
  if (webhooks.isPending) return <Skeleton />;
  if (webhooks.isError) {
    return <Failure error={webhooks.error} onRetry={() => void webhooks.refetch()} />;
  }
  const items = webhooks.data.pages.flatMap((page) => page.webhooks);
  if (items.length === 0) {
    return (
      <EmptyState icon="webhook" title="No webhooks yet">
        <p>
          Add one with the address of your endpoint. A test event shows at once whether it can
          receive events.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table label="Webhooks" columns={COLUMNS} items={items} />
      {webhooks.hasNextPage && (
        <Button
          isPending={webhooks.isFetchingNextPage}
          onPress={() => void webhooks.fetchNextPage()}
        >
          Show older webhooks
        </Button>
      )}
    </>
  );
};

const COLUMNS: readonly TableColumn<Webhook>[] = [
  {
    id: 'url',
    title: 'Endpoint',
    isRowHeader: true,
    cell: ({ id, url, description }) => (
      <>
        <Link to="/settings/webhooks/$webhookId" params={{ webhookId: id }} className={css.name}>
          {url}
        </Link>
        {description !== null && <span className={css.note}>{description}</span>}
      </>
    ),
  },
  {
    id: 'state',
    title: 'State',
    cell: (webhook) => {
      const { label, tone } = describeState(webhook);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: 'events',
    title: 'Events',
    cell: ({ events }) => events.map((event) => <div key={event}>{event}</div>),
  },
  { id: 'created', title: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
];
