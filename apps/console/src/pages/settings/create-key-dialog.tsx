import { useState } from 'react';
import { useChange } from '../../app/use-change.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toScopes } from './key-scopes.ts';
import type { Grants } from './key-scopes.ts';
import { createKey, keysQuery } from './keys-query.ts';
import { OWN_KEY_MISSING, OwnKeyField } from './own-key-field.tsx';
import { ScopeChoice } from './scope-choice.tsx';

const DAY_MS = 86_400_000;

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'No expiry' },
] as const;

type Lifetime = (typeof LIFETIMES)[number]['value'];

export const CreateKeyDialog = ({ onClose }: { onClose: () => void }) => {
  const creating = useChange({ run: createKey, changes: [keysQuery.queryKey] });
  return (
    <SecretDialog
      title="Create an API key"
      secret={creating.data?.key}
      name="key"
      secretTitle="Your new API key"
      onClose={onClose}
    >
      <NewKeyForm
        isPending={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
        onClose={onClose}
      />
    </SecretDialog>
  );
};

type NewKeyFormProps = {
  isPending: boolean;
  error: Error | null;
  onSubmit: (key: Parameters<typeof createKey>[0]) => void;
  onClose: () => void;
};

const NewKeyForm = ({ isPending, error, onSubmit, onClose }: NewKeyFormProps) => {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [grants, setGrants] = useState<Grants | 'everything'>({ gateway: 'all' });
  const [ownKey, setOwnKey] = useState('');
  const [problem, setProblem] = useState<'name' | 'scopes' | 'ownKey'>();
  const scopes = toScopes(grants);
  const findProblem = (): typeof problem => {
    if (name.trim() === '') return 'name';
    if (scopes.length === 0) return 'scopes';
    return ownKey.trim() === '' ? 'ownKey' : undefined;
  };
  const submit = (): void => {
    const found = findProblem();
    setProblem(found);
    if (found !== undefined) return;
    const expiresAt =
      lifetime === '' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString();
    onSubmit({ name: name.trim(), scopes, expiresAt, ownKey: ownKey.trim() });
  };
  return (
    <DialogForm
      action="Create the key"
      isPending={isPending}
      problem={problem === 'scopes' ? 'Choose at least one scope.' : error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        value={name}
        onChange={setName}
        hint="Which program uses it, such as “billing worker”"
        error={problem === 'name' ? 'Give the key a name.' : undefined}
      />
      <Select label="Expires in" options={LIFETIMES} value={lifetime} onChange={setLifetime} />
      <ScopeChoice value={grants} onChange={setGrants} />
      <OwnKeyField
        value={ownKey}
        onChange={setOwnKey}
        error={problem === 'ownKey' ? OWN_KEY_MISSING : undefined}
      />
    </DialogForm>
  );
};
