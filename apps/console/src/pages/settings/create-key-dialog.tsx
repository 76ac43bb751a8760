import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toScopes } from './key-scopes.ts';
import type { Grants } from './key-scopes.ts';
import { createKey, keysQuery } from './keys-query.ts';
import { NewKeyText } from './new-key.tsx';
import css from './settings.module.css';
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
  const client = useQueryClient();
  const creating = useMutation({
    mutationFn: createKey,
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const keyText = creating.data?.key;
  return (
    <Dialog
      title={keyText === undefined ? 'Create an API key' : 'Your new API key'}
      isOpen
      onClose={onClose}
      isPersistent={keyText !== undefined}
    >
      {keyText === undefined ? (
        <NewKeyForm
          isPending={creating.isPending}
          error={creating.isError ? describeError(creating.error) : undefined}
          onSubmit={creating.mutate}
          onClose={onClose}
        />
      ) : (
        <NewKeyText keyText={keyText} onClose={onClose} />
      )}
    </Dialog>
  );
};

type NewKeyFormProps = {
  isPending: boolean;
  error: string | undefined;
  onSubmit: (key: Parameters<typeof createKey>[0]) => void;
  onClose: () => void;
};

const NewKeyForm = ({ isPending, error, onSubmit, onClose }: NewKeyFormProps) => {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [grants, setGrants] = useState<Grants | 'everything'>({ gateway: 'all' });
  const [problem, setProblem] = useState<'name' | 'scopes'>();
  const submit = (): void => {
    const scopes = toScopes(grants);
    const found = name.trim() === '' ? 'name' : scopes.length === 0 ? 'scopes' : undefined;
    setProblem(found);
    if (found !== undefined) return;
    const expiresAt =
      lifetime === '' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString();
    onSubmit({ name: name.trim(), scopes, expiresAt });
  };
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
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
      {problem === 'scopes' && <Notice tone="bad">Choose at least one scope.</Notice>}
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isPending={isPending}>
          Create the key
        </Button>
      </DialogActions>
    </form>
  );
};
