package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucket is where files of findings lie in place of the shared database: in an S3-compatible object store. An object is
// there whole or not at all.
type bucket struct {
	client       *minio.Client
	name, prefix string
}

// defaultEndpoint is Amazon's.
const defaultEndpoint = "https://s3.amazonaws.com"

// openBucket opens s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION. The keys are of the environment
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), of the user's files, or of the machine's role: they are in no URL.
func openBucket(at string) (*bucket, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, &PlanError{"not an address for artifacts: want s3://BUCKET/PREFIX?endpoint=https://HOST"}
	}
	q := u.Query()
	if u.User != nil {
		return nil,
			&PlanError{
				"the artifacts' address holds a key: put it into the environment (AWS_ACCESS_KEY_ID, " +
					"AWS_SECRET_ACCESS_KEY)"}
	}
	for k := range q {
		if k != "endpoint" && k != "region" {
			return nil, &PlanError{fmt.Sprintf("unknown parameter %q in the address for artifacts: want endpoint and region", k)}
		}
	}
	endpoint := q.Get("endpoint")
	if endpoint == "" {
		endpoint = defaultEndpoint
	}
	e, err := url.Parse(endpoint)
	if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || strings.Trim(e.Path, "/") != "" ||
		e.User != nil {
		return nil, &PlanError{fmt.Sprintf("endpoint %q: want https://HOST or http://HOST:PORT", endpoint)}
	}
	client, err := minio.New(e.Host, &minio.Options{Secure: e.Scheme == "https", Region: q.Get("region"),
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})})
	if err != nil {
		return nil, &PlanError{"the artifacts' address cannot be used: " + err.Error()}
	}
	return &bucket{client: client, name: u.Host, prefix: strings.Trim(u.Path, "/")}, nil
}

func (b *bucket) key(finding, file string) string { return path.Join(b.prefix, finding, file) }

// there says what is wrong with the bucket.
func (b *bucket) there(ctx context.Context) error {
	ok, err := b.client.BucketExists(ctx, b.name)
	if err == nil && !ok {
		err = errors.New("there is no such bucket")
	}
	return b.failed(err)
}

// failed makes an error of the object store one of the campaign's own keeping.
func (b *bucket) failed(err error) error {
	if err == nil {
		return nil
	}
	return &StoreError{fmt.Errorf("bucket %s: %w", b.name, err), true}
}

// put keeps the files of a finding, by their paths, and nothing else of it.
func (b *bucket) put(ctx context.Context, finding string, files map[string][]byte) error {
	for file, text := range files {
		if _, err := b.client.PutObject(ctx, b.name, b.key(finding, file), bytes.NewReader(text), int64(len(text)),
			minio.PutObjectOptions{}); err != nil {
			return b.failed(err)
		}
	}
	return b.each(ctx, finding, func(file, key string) error {
		if _, kept := files[file]; kept {
			return nil
		}
		return b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
	})
}

// each calls do for every file of a finding.
func (b *bucket) each(ctx context.Context, finding string, do func(file, key string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the list
	prefix := b.key(finding, "") + "/"
	for o := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if o.Err != nil {
			return b.failed(o.Err)
		}
		if err := do(strings.TrimPrefix(o.Key, prefix), o.Key); err != nil {
			return b.failed(err)
		}
	}
	return nil
}

// get brings the files of a finding, each to write.
func (b *bucket) get(ctx context.Context, finding string, write func(file string, text []byte) error) error {
	return b.each(ctx, finding, func(file, key string) error {
		o, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer o.Close()
		text, err := io.ReadAll(io.LimitReader(o, maxArtifact+1))
		if err != nil {
			return err
		}
		return write(file, text)
	})
}

// drop removes the files of a finding.
func (b *bucket) drop(ctx context.Context, finding string) error { return b.put(ctx, finding, nil) }

// UseBucket keeps files of findings at an address of an S3-compatible object store from now on, for all processes of
// the campaign. An address that is not the campaign's is refused: files that are there would not be found. "" is the
// one that the campaign has, if it has one.
func (d *DB) UseBucket(ctx context.Context, at string) error {
	if !d.shared() && at != "" {
		return &PlanError{
			"artifacts in a bucket are those of a campaign that several machines share: it needs a store, too (--store)"}
	}
	have, err := d.Meta(ctx, metaArtifacts)
	if err != nil || have == "" && at == "" {
		return err
	}
	if have != "" && at != "" && at != have {
		return &PlanError{fmt.Sprintf("the campaign's files lie at %s: they are not looked for elsewhere", have)}
	}
	if at == "" {
		at = have
	}
	b, err := openBucket(at)
	if err == nil && have == "" {
		err = b.there(ctx)
	}
	if err != nil {
		return err
	}
	d.bucket = b
	return d.tx(ctx, func(t *tx) error { // a campaign of before has no row for it
		n, err := t.changes("UPDATE meta SET v = ? WHERE k = ?", at, metaArtifacts)
		if err == nil && n == 0 {
			err = t.exec("INSERT INTO meta (k, v) VALUES (?, ?)", metaArtifacts, at)
		}
		return err
	})
}

// metaArtifacts is the key of where files of findings lie; "" is the database itself.
const metaArtifacts = "artifacts"
