// Receives webhooks and rejects unsigned deliveries: PIROGUE_WEBHOOK_SECRET=whsec_… go run receiver.go (Go 1.18 or later)
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance = 300 * time.Second
	maxBody   = 1 << 20
)

// verify reports whether the delivery is recent and signed with the secret.
func verify(body []byte, signature, timestamp, secret string) bool {
	if !strings.HasPrefix(signature, "v1=") {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	digest := hex.EncodeToString(mac.Sum(nil))
	// In constant time; unequal lengths are unequal.
	if !hmac.Equal([]byte(digest), []byte(strings.TrimPrefix(signature, "v1="))) {
		return false
	}
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Since(time.Unix(sent, 0))
	return err == nil && age <= tolerance && age >= -tolerance
}

func main() {
	secret, port := os.Getenv("PIROGUE_WEBHOOK_SECRET"), os.Getenv("PORT")
	if secret == "" {
		// With an empty secret anybody could sign.
		log.Fatal("PIROGUE_WEBHOOK_SECRET is not set")
	}
	if port == "" {
		port = "3000"
	}
	receive := func(response http.ResponseWriter, request *http.Request) {
		// The bytes as they came: what a parser made of them has another signature.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
		header := request.Header
		if err != nil || !verify(body, header.Get("X-Service-Signature"), header.Get("X-Service-Timestamp"), secret) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		var event struct{ ID, Event string }
		if json.Unmarshal(body, &event) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		// The same event can come twice: a real receiver keeps its id under a unique index, answers, and works afterwards.
		log.Println(event.ID, event.Event)
	}
	server := http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
