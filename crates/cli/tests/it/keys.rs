use serde_json::json;

use crate::assert_snapshot;
use crate::support::{Run, Server, folder, reflexio, wait_for};

fn secret(output: &crate::support::Output) -> String {
    output.stdout.trim().to_owned()
}

#[test]
fn from_the_first_key_on_everybody_needs_one() {
    let server = Server::start();
    server.reflexio("status").ok();
    let made = server.reflexio("keys create --name laptop").ok();
    assert_snapshot!("key_made", made);
    let key = secret(&made);
    let refused = wait_for("the key to be in force", || {
        let output = server.reflexio("status").run();
        (output.code != Some(0)).then_some(output)
    });
    assert_eq!(refused.code, Some(5));
    assert_snapshot!("no_key", refused);
    assert_eq!(server.reflexio("status --api-key wrong").run().code, Some(5));
    server.reflexio("status").env("REFLEXIO_API_KEY", &key).ok();
    server.reflexio("doctor").env("REFLEXIO_API_KEY", &key).ok();
}

#[test]
fn a_key_may_do_only_what_its_scopes_say() {
    let server = Server::start();
    let make = |scopes: &str| secret(&server.reflexio("keys create --name k --scopes").arg(scopes).ok());
    let (reader, writer) = (make("read"), make("write,read"));
    let as_reader = |arguments: &str| server.reflexio(arguments).env("REFLEXIO_API_KEY", &reader);
    let publish = "publish --user-id u --user-message hi";
    wait_for("the keys", || (server.reflexio("status").run().code == Some(5)).then_some(()));
    assert_snapshot!("scope_missing", as_reader(publish).run());
    assert_snapshot!("doctor_with_a_reader", as_reader("doctor").ok());
    server.reflexio(publish).env("REFLEXIO_API_KEY", &writer).ok();
    let erase = server.reflexio("interactions delete --all --yes").env("REFLEXIO_API_KEY", &writer).run();
    assert_eq!(erase.code, Some(5), "{erase}");
}

#[test]
fn a_revoked_key_stops_working() {
    let server = Server::start();
    server.reflexio("keys create --name other").ok();
    let made = server.reflexio("keys create --name gone").json();
    let (id, key) =
        (made["id"].as_str().expect("an id").to_owned(), made["secret"].as_str().expect("a secret"));
    let with_key = || -> Run { server.reflexio("status").env("REFLEXIO_API_KEY", key) };
    wait_for("the key", || (with_key().run().code == Some(0)).then_some(()));
    server.reflexio("keys revoke").arg(&id).ok();
    wait_for("the key to stop working", || (with_key().run().code == Some(5)).then_some(()));
    assert_eq!(server.reflexio("keys revoke").arg(&id).run().code, Some(4));
    let keys = server.reflexio("keys list").json();
    let revoked: Vec<bool> =
        keys.as_array().expect("a list").iter().map(|key| !key["revoked_at"].is_null()).collect();
    assert_eq!(revoked.iter().filter(|revoked| **revoked).count(), 1, "{keys}");
    assert!(!keys.to_string().contains("rfx_"), "a list never shows secrets");
}

#[test]
fn a_key_can_be_made_before_the_first_start() {
    let folder = folder();
    let data = folder.path().join("data");
    let made = reflexio("keys create --name first --org acme --scopes read --data-dir").arg(&data).json();
    assert_eq!((&made["org"], &made["scopes"]), (&json!("acme"), &json!(["read"])));
    let list = reflexio("keys list --data-dir").arg(&data).json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    let missing = reflexio("keys list --data-dir").arg(folder.path().join("elsewhere")).run();
    assert_snapshot!("no_database", missing);
}
