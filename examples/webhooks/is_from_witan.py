import hashlib
import hmac


def is_from_witan(body: bytes, signature: str, secret: str) -> bool:
    """`body` must be the raw bytes of the request. Verify them before parsing."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"sha256={expected}".encode(), signature.encode())
