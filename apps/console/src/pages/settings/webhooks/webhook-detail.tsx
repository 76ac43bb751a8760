import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Detail, DetailList } from '../../../ui/detail-list.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Badge, Failure, Notice, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { notify, notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { Deliveries } from './deliveries.tsx';
import { DeleteWebhookDialog, EditWebhookDialog, RotateSecretDialog } from './webhook-dialogs.tsx';
import { describeState, SCHEDULES } from './webhook-labels.ts';
import { changeWebhook, testWebhook, webhookQuery, WEBHOOKS_KEY } from './webhooks-query.ts';
import type { Webhook } from './webhooks-query.ts';

const routeApi = getRouteApi('/shell/settings/webhooks/$webhookId');

/** One webhook: what it gets, and how its deliveries went. */
export const WebhookDetail = () => {
  const { webhookId } = routeApi.useParams();
  const webhook = useQuery(webhookQuery(webhookId));
  return (
    <div className={css.sectionList}>
      <Link to="/settings/webhooks">All webhooks</Link>
      {webhook.isPending ? (
        <Skeleton lines={8} />
      ) : webhook.isError ? (
        <Failure error={webhook.error} onRetry={() => void webhook.refetch()} />
      ) : (
        <Loaded webhook={webhook.data} />
      )}
    </div>
  );
};

type Opened = 'edit' | 'rotate' | 'delete';

const Loaded = ({ webhook }: { webhook: Webhook }) => {
  const mayChange = canUse(useSession(), ['webhooks']);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const { label, tone } = describeState(webhook);
  return (
    <>
      <Section
        title={webhook.url}
        intro={webhook.description ?? undefined}
        actions={mayChange && <Actions webhook={webhook} onOpen={setOpened} />}
      >
        {webhook.disabledReason === 'gone' && (
          <Notice tone="warn">
            The endpoint answered 410, that it wants no more events. Resume the webhook when it
            takes them again.
          </Notice>
        )}
        <DetailList>
          <Detail name="State">
            <Badge tone={tone}>{label}</Badge>{' '}
            {webhook.disabledAt !== null && <Time at={webhook.disabledAt} />}
          </Detail>
          <Detail name="Events">{webhook.events.join(', ')}</Detail>
          <Detail name="If the endpoint fails">
            {SCHEDULES.find(({ value }) => value === webhook.retrySchedule)!.label}
          </Detail>
          <Detail name="Secret" note="Rotate it if it is lost or may be known to others.">
            <code>{webhook.secretPreview}</code>
          </Detail>
          <Detail name="Created">
            <Time at={webhook.createdAt} />
          </Detail>
        </DetailList>
      </Section>
      <Deliveries webhookId={webhook.id} mayChange={mayChange} />
      {opened === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {opened === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {opened === 'delete' && <DeleteWebhookDialog webhook={webhook} onClose={close} />}
    </>
  );
};

type ActionsProps = { webhook: Webhook; onOpen: (opened: Opened) => void };

const Actions = ({ webhook: { id, isActive }, onOpen }: ActionsProps) => {
  const changes = [WEBHOOKS_KEY];
  const onError = notifyError;
  const testing = useChange({
    run: () => testWebhook(id),
    changes,
    onDone: notifyOfTest,
    onError,
  });
  const pausing = useChange({
    run: () => changeWebhook(id, { isActive: !isActive }),
    changes,
    onError,
  });
  return (
    <>
      <Button icon="playground" isPending={testing.isPending} onPress={() => testing.mutate()}>
        Send a test event
      </Button>
      <Button isPending={pausing.isPending} onPress={() => pausing.mutate()}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Menu
        label="More actions"
        trigger={<IconButton icon="more" label="More actions" />}
        actions={[
          { id: 'edit', label: 'Change', icon: 'settings', onAction: () => onOpen('edit') },
          {
            id: 'rotate',
            label: 'Rotate the secret',
            icon: 'refresh',
            onAction: () => onOpen('rotate'),
          },
          {
            id: 'delete',
            label: 'Delete',
            icon: 'close',
            isDestructive: true,
            onAction: () => onOpen('delete'),
          },
        ]}
      />
    </>
  );
};

const notifyOfTest = ({ success, statusCode }: { success: boolean; statusCode: number }): void => {
  if (success) notify(`The endpoint took the test event: status ${statusCode}`);
  else notifyError(new Error(describeTest(statusCode)));
};

const describeTest = (statusCode: number): string =>
  statusCode === 0
    ? 'The endpoint did not answer the test event. The list of deliveries says why.'
    : `The endpoint refused the test event with status ${statusCode}.`;
