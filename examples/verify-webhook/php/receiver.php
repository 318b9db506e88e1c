<?php
// Receives webhooks and rejects unsigned deliveries (PHP 8.0 or later):
// PIROGUE_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 receiver.php, or as a page of your server.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** Whether the delivery is recent and signed with the secret. */
function verify(string $body, string $signature, string $timestamp, string $secret): bool
{
    if (!str_starts_with($signature, 'v1=')) {
        return false;
    }
    $digest = hash_hmac('sha256', "$timestamp.$body", $secret);
    // In constant time; unequal lengths are unequal.
    if (!hash_equals($digest, substr($signature, strlen('v1=')))) {
        return false;
    }
    return ctype_digit($timestamp) && abs(time() - (int) $timestamp) <= TOLERANCE_SECONDS;
}

$secret = (string) getenv('PIROGUE_WEBHOOK_SECRET');
if ($secret === '') {
    // With an empty secret anybody could sign.
    http_response_code(500);
    error_log('PIROGUE_WEBHOOK_SECRET is not set');
    exit;
}

// The bytes as they came: what a parser made of them has another signature.
$body = (string) file_get_contents('php://input');
$signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
if (!verify($body, $signature, $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '', $secret)) {
    http_response_code(400);
    exit;
}

// Keep the event and answer; a job of yours does the work. The same event can come twice: keep its id under a unique index.
$event = json_decode($body, true);
error_log("{$event['id']} {$event['event']}");
http_response_code(200);
