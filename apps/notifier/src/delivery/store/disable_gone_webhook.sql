-- Disables a webhook whose receiver responded 410, and returns `disabled`, or `unchanged` if it was
-- disabled before. Returns `outdated` and changes nothing if since the claim of the attempt the
-- webhook was deleted or resumed or its URL changed; the last two raise its endpoint version. The
-- URL is compared too, because the previous release changes it without raising the version.
CREATE OR REPLACE FUNCTION disable_gone_webhook(
  p_webhook text, p_endpoint_version integer, p_url text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_is_disabled boolean;
BEGIN
  PERFORM set_config('witan.scope', '*', true);

  SELECT NOT hook.is_active AND hook.disabled_reason IS NOT NULL INTO v_is_disabled
  FROM webhook AS hook
  WHERE hook.id = p_webhook AND hook.endpoint_version = p_endpoint_version
    AND hook.url = p_url
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'outdated';
  ELSIF v_is_disabled THEN
    RETURN 'unchanged';
  END IF;

  UPDATE webhook
  SET is_active = false, disabled_reason = 'gone', disabled_at = clock_timestamp()
  WHERE id = p_webhook;
  RETURN 'disabled';
END $$;
