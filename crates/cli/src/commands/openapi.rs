use crate::context::Context;

pub(crate) fn run(context: &Context) -> anyhow::Result<()> {
    Ok(context.out.line(reflexio_server::openapi_json())?)
}
